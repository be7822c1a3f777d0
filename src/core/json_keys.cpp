#include "core/json_keys.hpp"

#include <algorithm>
#include <cstring>

#include "core/json_text.hpp"

namespace annals::core::json {

namespace {

/// Up to here comparing with every name is cheaper than sorting.
constexpr std::size_t small_object = 64;

template <typename Word>
std::uint64_t load(const char* at) noexcept {
  Word word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

/// Tells most names apart by length, beginning and end. Equal hashes decide nothing.
std::uint32_t hash_of(std::string_view name) noexcept {
  const std::size_t size = name.size();
  const char* const first = name.data();
  const char* const last = first + size;
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  if (size >= 8) {
    head = load<std::uint64_t>(first);
    tail = load<std::uint64_t>(last - 8);
  } else if (size >= 4) {
    head = load<std::uint32_t>(first);
    tail = load<std::uint32_t>(last - 4);
  } else if (size > 0) {
    head = load<std::uint8_t>(first) << 8U | load<std::uint8_t>(first + size / 2);
    tail = load<std::uint8_t>(last - 1);
  }
  const std::uint64_t mixed = (head * 0x9e3779b97f4a7c15U) ^ ((tail + size) * 0xc2b2ae3d27d4eb4fU);
  return static_cast<std::uint32_t>((mixed ^ (mixed >> 29U)) >> 16U);
}

}  // namespace

std::string_view KeyStack::name(const Key& key) const {
  return key.escaped ? std::string_view(unescaped_).substr(key.unescaped, key.size)
                     : std::string_view(key.raw, key.size);
}

KeyStack::Scope KeyStack::open() {
  if (keys_.capacity() == 0) keys_.reserve(32);
  return {keys_.size(), unescaped_.size()};
}

bool KeyStack::add(const Scope& scope, std::string_view raw, bool escaped) {
  Key key{raw.data(), raw.size(), unescaped_.size(), 0, escaped};
  if (escaped) {
    append_unescaped(unescaped_, raw);
    key.size = unescaped_.size() - key.unescaped;
  }
  const std::string_view text = name(key);
  key.hash = hash_of(text);
  if (keys_.size() - scope.keys < small_object) {
    for (std::size_t i = scope.keys; i < keys_.size(); ++i) {
      if (keys_[i].hash == key.hash && name(keys_[i]) == text) return false;
    }
  }
  keys_.push_back(key);
  return true;
}

const char* KeyStack::close(const Scope& scope) {
  const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(scope.keys);
  const char* duplicate = nullptr;
  if (keys_.size() - scope.keys > small_object) {
    std::sort(begin, keys_.end(), [this](const Key& left, const Key& right) {
      if (left.hash != right.hash) return left.hash < right.hash;
      const int order = name(left).compare(name(right));
      return order != 0 ? order < 0 : left.raw < right.raw;
    });
    for (auto key = begin + 1; key != keys_.end(); ++key) {
      const Key& before = *(key - 1);
      if (before.hash != key->hash || name(before) != name(*key)) continue;
      if (duplicate == nullptr || key->raw < duplicate) duplicate = key->raw;
    }
  }
  keys_.erase(begin, keys_.end());
  unescaped_.resize(scope.unescaped);
  return duplicate;
}

}  // namespace annals::core::json
