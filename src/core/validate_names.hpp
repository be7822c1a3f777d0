#pragma once

#include <cstddef>
#include <string_view>

namespace annals::core {

/// Longest type name or type pattern, in bytes.
inline constexpr std::size_t max_type_bytes = 200;

/// Longest text member of an event that has no limit of its own, in bytes.
inline constexpr std::size_t max_text_bytes = 200;

/// Longest name of a label, in bytes; also of a `receive_action`.
inline constexpr std::size_t max_name_bytes = 63;

/// Longest value of a label, in bytes.
inline constexpr std::size_t max_label_value_bytes = 256;

/// Most labels of one event.
inline constexpr std::size_t max_labels = 16;

/// Valid UTF-8: shortest forms, no surrogates, nothing above U+10FFFF. Pure; never throws.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// What holds for text members outside the payload: 1 to `max_bytes` bytes of UTF-8 without U+0000.
[[nodiscard]] bool is_plain_text(std::string_view text,
                                 std::size_t max_bytes = max_text_bytes) noexcept;

/// `[a-z][a-z0-9_]{0,62}`: names of labels and of receive actions.
[[nodiscard]] bool is_name(std::string_view text) noexcept;

/// The default type grammar, `^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$`, without its length limit.
[[nodiscard]] bool is_default_type(std::string_view type) noexcept;

/// What every type name is, whatever `events.type_pattern` says, so that patterns, lists and
/// filters stay unambiguous: 1 to 200 bytes of UTF-8 in segments separated by dots, no segment
/// empty, no space, comma, asterisk or control character.
[[nodiscard]] bool is_type_name(std::string_view type) noexcept;

/// A type name, or one followed by `.*`; at most 200 bytes in all.
[[nodiscard]] bool is_type_pattern(std::string_view pattern) noexcept;

/// True for the log's own types and for patterns of them: `log.` or `access.` and something after.
[[nodiscard]] bool is_reserved_type(std::string_view type) noexcept;

/// True when `type` is `pattern`, or lies below its prefix. `query.*` takes `query.started` and
/// `query.step.done`, not `query`.
[[nodiscard]] bool matches_type_pattern(std::string_view pattern, std::string_view type) noexcept;

}  // namespace annals::core
