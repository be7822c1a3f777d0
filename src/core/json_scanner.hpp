#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/json_keys.hpp"
#include "core/json_problem.hpp"
#include "core/json_text.hpp"

namespace annals::core::json {

/// Copies a text in long runs and leaves out pieces of it. Used on one thread; the text must
/// outlive it.
class Copier {
 public:
  explicit Copier(std::string_view text) : run_(text.data()) { out_.reserve(text.size()); }

  /// Leaves out the bytes from `from` to `to`; everything before `from` is copied.
  void skip(const char* from, const char* to) {
    if (from > run_) out_.append(run_, from);
    run_ = to;
  }

  /// The size of the copy if it ended at `at`.
  [[nodiscard]] std::size_t size_at(const char* at) const noexcept {
    return out_.size() + (at > run_ ? static_cast<std::size_t>(at - run_) : 0);
  }

  /// Cuts the copy back to `size` and goes on at `to`.
  void cut(std::size_t size, const char* to) {
    if (size > out_.size()) {
      out_.append(run_, size - out_.size());
    } else {
      out_.resize(size);
    }
    run_ = to;
  }

  /// The copy up to `end`.
  [[nodiscard]] std::string take(const char* end) && {
    skip(end, end);
    return std::move(out_);
  }

 private:
  std::string out_;
  const char* run_;  ///< Where the bytes begin that are still to be copied.
};

/// The grammar under `Reader` and `compact_payload`: checks one token after the other, keeps the
/// open containers on a stack of its own and never recurses. Used on one thread; the text must
/// outlive it. After the first problem every call fails.
class Scanner {
 public:
  /// With a copier, insignificant whitespace is left out of the copy.
  explicit Scanner(std::string_view text, Copier* copier = nullptr)
      : begin_(text.data()),
        at_(begin_),
        end_(begin_ + text.size()),
        copier_(copier) {}

  enum class Step { item, end, failed };

  /// The type of the value at the next significant byte, or a problem.
  [[nodiscard]] std::optional<Type> peek();

  /// Enters the object or array at the next byte.
  bool open();

  /// Moves to the next value of the innermost container, over comma, name and colon, or leaves it.
  Step next();

  /// Reads the string at the next byte and gives its inside.
  bool string(std::string_view& raw, bool& escaped);

  /// Reads the number at the next byte and gives its text.
  bool number(std::string_view& text);

  /// Reads `true`, `false` or `null` at the next byte.
  bool literal(std::string_view word);

  /// Reads the whole value at the next significant byte.
  bool value();

  /// Reads the string, number or literal of this type at the next byte.
  bool scalar(Type type);

  /// True when only whitespace is left.
  bool at_end();

  void skip_space() {
    if (at_ != end_ && static_cast<unsigned char>(*at_) <= ' ') skip_space_run();
  }

  /// Records a problem with the value at the current position.
  bool fail(const Fault& fault) { return fail(fault, at_); }
  /// The same, with the place in the text.
  bool fail(const Fault& fault, const char* where) { return fail(fault, where, depth_); }

  [[nodiscard]] const char* position() const noexcept { return at_; }
  [[nodiscard]] const char* text_end() const noexcept { return end_; }
  [[nodiscard]] std::size_t depth() const noexcept { return depth_; }
  [[nodiscard]] bool in_object() const noexcept { return frames_[depth_ - 1].object; }
  [[nodiscard]] const std::optional<Problem>& problem() const noexcept { return problem_; }

  /// The name of the innermost object's current member, unescaped.
  void member_name(std::string& name) const;

  /// RFC 6901 pointer of the current value.
  [[nodiscard]] std::string pointer() const { return pointer(depth_); }

 private:
  /// An open container and where in it we are.
  struct Frame {
    std::string_view key;  ///< Inside of the current member's name.
    KeyStack::Scope keys;
    std::uint64_t items;  ///< Begun so far, the current one included.
    bool object;
    bool key_escaped;
  };

  void skip_space_run();
  Step next_member(Frame& frame);
  bool close(const Frame& frame);
  bool accept(const Scan& scan);
  bool fail(const Fault& fault, const char* where, std::size_t pointer_depth);
  [[nodiscard]] std::string pointer(std::size_t depth) const;

  const char* begin_;
  const char* at_;
  const char* end_;
  Copier* copier_;
  std::size_t depth_ = 0;
  std::size_t limit_ = max_depth;  ///< Containers that may be open.
  /// A value read whole counts its own depth, wherever it stands.
  std::array<Frame, 2 * max_depth> frames_;
  KeyStack keys_;
  std::optional<Problem> problem_;
};

}  // namespace annals::core::json
