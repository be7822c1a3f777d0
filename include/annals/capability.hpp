#pragma once

#include <set>
#include <string>
#include <string_view>

#include "annals/time.hpp"
#include "annals/uuid.hpp"

namespace annals {

/// Exact type names, `prefix.*` patterns, or `*` for every type a producer may write; sorted.
using AllowedTypes = std::set<std::string, std::less<>>;

/// The right to append events of some types. Immutable value, free to copy between threads. It has
/// no public constructor: a log mints it from a key's grants or as `EventLog::local_admin()`, and
/// every append takes it explicitly, so no code path can write with somebody else's rights by
/// accident. An append of a type it does not name fails before anything is touched.
class WriteCapability {
 public:
  /// The writer: `key_id` of the events appended with it.
  [[nodiscard]] const Uuid& holder() const noexcept { return holder_; }

  /// What may be appended; never empty.
  [[nodiscard]] const AllowedTypes& allowed_types() const noexcept { return allowed_types_; }

  /// When it was minted.
  [[nodiscard]] Timestamp minted_at() const noexcept { return minted_at_; }

  /// True when `type` is named exactly, by a prefix, or by `*`.
  [[nodiscard]] bool allows(std::string_view type) const;

  friend bool operator==(const WriteCapability&, const WriteCapability&) = default;

 private:
  friend class CapabilityMint;
  WriteCapability(Uuid holder, AllowedTypes allowed_types, Timestamp minted_at);

  Uuid holder_;
  AllowedTypes allowed_types_;
  Timestamp minted_at_;
};

}  // namespace annals
