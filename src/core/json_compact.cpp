#include <array>

#include "core/json.hpp"

namespace annals::core::json {

namespace {

constexpr Fault not_an_object = {"type", "must be an object"};
constexpr Fault null_member = {"null", "null is not allowed; leave the member out"};
constexpr Fault null_element = {"null", "null is not allowed in an array"};
constexpr Fault trailing = {"trailing", "nothing may follow the object"};

/// Walks through one object and copies what stays of it.
class Compactor {
 public:
  Compactor(std::string_view text, NullPolicy nulls)
      : copier_(text),
        scanner_(text, &copier_),
        nulls_(nulls) {}

  std::expected<std::string, Problem> run() {
    if (!object()) return std::unexpected(*scanner_.problem());
    return std::move(copier_).take(scanner_.position());
  }

 private:
  bool object() {
    const auto type = scanner_.peek();
    if (!type) return false;
    if (*type != Type::object) return scanner_.fail(not_an_object);
    if (!open()) return false;
    while (scanner_.depth() > 0) {
      const std::size_t size = copier_.size_at(scanner_.position());
      const auto step = scanner_.next();
      if (step == Scanner::Step::failed) return false;
      if (step == Scanner::Step::item && !item(size)) return false;
    }
    return scanner_.at_end() || scanner_.fail(trailing);
  }

  bool open() {
    if (!scanner_.open()) return false;
    kept_[scanner_.depth() - 1] = false;
    return true;
  }

  /// Reads the next value, or opens it. `size` is the copy's size before its comma and name.
  bool item(std::size_t size) {
    const auto type = scanner_.peek();
    if (!type) return false;
    if (*type == Type::null) return null(size);
    kept_[scanner_.depth() - 1] = true;
    if (*type == Type::object || *type == Type::array) return open();
    return scanner_.scalar(*type);
  }

  bool null(std::size_t size) {
    const char* const first = scanner_.position();
    if (!scanner_.scalar(Type::null)) return false;
    if (!scanner_.in_object()) return scanner_.fail(null_element, first);
    if (nulls_ == NullPolicy::refuse) return scanner_.fail(null_member, first);
    copier_.cut(size, scanner_.position());
    if (kept_[scanner_.depth() - 1]) return true;
    // Nothing stands before the next member, so its comma goes too.
    scanner_.skip_space();
    const char* const at = scanner_.position();
    if (at != scanner_.text_end() && *at == ',') copier_.skip(at, at + 1);
    return true;
  }

  Copier copier_;
  Scanner scanner_;
  NullPolicy nulls_;
  std::array<bool, max_depth> kept_{};  ///< Whether anything of the open container was copied.
};

}  // namespace

std::expected<std::string, Problem> compact_payload(std::string_view text, NullPolicy nulls) {
  return Compactor(text, nulls).run();
}

}  // namespace annals::core::json
