#include "core/filter.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "core/validate_names.hpp"

namespace annals::core {
namespace {

constexpr std::string_view label_prefix = "label.";
constexpr std::size_t max_named_bytes = 80;

struct TextParameter {
  std::string_view name;
  std::optional<std::string> Filter::* member;
};

constexpr std::array text_parameters{
    TextParameter{"source", &Filter::source},
    TextParameter{"stream", &Filter::stream},
    TextParameter{"space", &Filter::space},
    TextParameter{"channel", &Filter::channel},
    TextParameter{"thread", &Filter::thread},
    TextParameter{"resource_kind", &Filter::resource_kind},
    TextParameter{"resource_id", &Filter::resource_id},
};

constexpr std::array parameters{
    FilterParameter{"type", FilterForm::type, "Exact type, or a prefix ending in .*"},
    FilterParameter{"source", FilterForm::text, "Where it came from"},
    FilterParameter{"stream", FilterForm::text, "Stream name"},
    FilterParameter{"space", FilterForm::text, "scope.space_id"},
    FilterParameter{"channel", FilterForm::text, "scope.channel_id"},
    FilterParameter{"thread", FilterForm::text, "scope.thread_id"},
    FilterParameter{"actor", FilterForm::actor, "KIND/ID, or system"},
    FilterParameter{"resource_kind", FilterForm::text, "Kind of the resource"},
    FilterParameter{"resource_id", FilterForm::text, "Id of the resource"},
    FilterParameter{"correlation_id", FilterForm::uuid, "Correlation UUID"},
    FilterParameter{"since", FilterForm::time, "Recorded at or after this RFC 3339 time"},
    FilterParameter{"until", FilterForm::time, "Recorded before this RFC 3339 time"},
};

/// A parameter's name for a message: hostile names are not repeated.
std::string shown(std::string_view name) {
  const bool printable = name.size() <= max_named_bytes && std::ranges::all_of(name, [](char c) {
                           return c >= 0x20 && c < 0x7f && c != '"';
                         });
  return printable ? '"' + std::string(name) + '"' : "(name not shown)";
}

std::unexpected<Error> invalid(std::string_view name, std::string_view rule) {
  return fail(ErrorCode::invalid_filter,
              "Filter " + shown(name) + " is malformed: " + std::string(rule));
}

/// Stores a parsed value; a repeated parameter or a malformed value is an error.
template <typename T>
Result<void> set_once(std::optional<T>& member, std::optional<T> value, std::string_view name,
                      std::string_view rule) {
  if (member) return invalid(name, "it is given twice");
  if (!value) return invalid(name, rule);
  member = std::move(value);
  return {};
}

std::optional<std::string> plain_text(std::string_view value) {
  if (!is_plain_text(value)) return std::nullopt;
  return std::string(value);
}

std::optional<std::string> type_pattern(std::string_view value) {
  if (!is_type_pattern(value)) return std::nullopt;
  return std::string(value);
}

std::optional<std::string> actor_text(std::string_view value) {
  if (!parse_actor(value)) return std::nullopt;
  return std::string(value);
}

std::optional<Uuid> uuid_value(std::string_view value) {
  auto uuid = parse_uuid(value);
  return uuid && !uuid->is_nil() ? uuid : std::nullopt;
}

bool is_label_value(std::string_view value) {
  return value.empty() || is_plain_text(value, max_label_value_bytes);
}

/// Sets the label `label`, given as parameter `name`.
Result<void> set_label(Filter& filter, std::string_view name, std::string_view label,
                       std::string_view value) {
  if (!is_label_value(value)) {
    return invalid(name, "a label's value has at most 256 bytes of UTF-8 without U+0000");
  }
  if (!filter.labels.emplace(label, value).second) return invalid(name, "it is given twice");
  return {};
}

bool needs_meta(const Filter& filter) noexcept {
  return filter.actor || filter.correlation_id || !filter.labels.empty();
}

bool matches_meta(const Filter& filter, const Meta& meta) {
  if (filter.actor && (!meta.actor || meta.actor != parse_actor(*filter.actor))) return false;
  if (filter.correlation_id && meta.correlation_id != filter.correlation_id) return false;
  return std::ranges::all_of(filter.labels, [&](const auto& wanted) {
    const auto label = meta.labels.find(wanted.first);
    return label != meta.labels.end() && label->second == wanted.second;
  });
}

bool matches_header(const Filter& filter, const Header& header) {
  const auto same = [](const auto& wanted, const auto& actual) {
    return !wanted || actual == *wanted;
  };
  return (!filter.type || matches_type_pattern(*filter.type, header.type)) &&
         same(filter.source, header.source) && same(filter.stream, header.stream) &&
         same(filter.space, header.scope.space_id) &&
         same(filter.channel, header.scope.channel_id) &&
         same(filter.thread, header.scope.thread_id) &&
         same(filter.resource_kind, header.resource.kind) &&
         same(filter.resource_id, header.resource.id) &&
         (!filter.since || header.recorded_at >= *filter.since) &&
         (!filter.until || header.recorded_at < *filter.until);
}

}  // namespace

std::span<const FilterParameter> filter_parameters() noexcept {
  return parameters;
}

std::optional<Actor> parse_actor(std::string_view value) {
  const std::size_t slash = value.find('/');
  const auto kind = parse_actor_kind(value.substr(0, slash));
  if (!kind) return std::nullopt;
  if (*kind == ActorKind::system) {
    if (slash != std::string_view::npos) return std::nullopt;
    return Actor{*kind, std::nullopt};
  }
  if (slash == std::string_view::npos || !is_plain_text(value.substr(slash + 1))) {
    return std::nullopt;
  }
  return Actor{*kind, std::string(value.substr(slash + 1))};
}

Result<void> set_filter(Filter& filter, std::string_view name, std::string_view value,
                        const Catalogue& catalogue) {
  for (const auto& parameter : text_parameters) {
    if (name != parameter.name) continue;
    return set_once(filter.*parameter.member, plain_text(value), name,
                    "it has 1 to 200 bytes of UTF-8 without U+0000");
  }
  if (name == "type") {
    return set_once(filter.type, type_pattern(value), name,
                    "it is a type name or a prefix ending in .*, at most 200 bytes");
  }
  if (name == "actor") {
    return set_once(filter.actor, actor_text(value), name,
                    "it is user/<id>, agent/<id>, app/<id> or system");
  }
  if (name == "correlation_id") {
    return set_once(filter.correlation_id, uuid_value(value), name, "it is a UUID, not nil");
  }
  if (name == "since") {
    return set_once(filter.since, parse_timestamp(value), name, "it is an RFC 3339 time");
  }
  if (name == "until") {
    return set_once(filter.until, parse_timestamp(value), name, "it is an RFC 3339 time");
  }
  if (name.starts_with(label_prefix)) {
    const std::string_view label = name.substr(label_prefix.size());
    if (!is_name(label)) {
      return invalid(name, "a label's name is [a-z][a-z0-9_]{0,62}");
    }
    return set_label(filter, name, label, value);
  }
  if (const LabelRule* rule = catalogue.filter(name)) {
    if (!rule->allowed_values.empty() && !rule->allowed_values.contains(value)) {
      return invalid(name, "the catalogue lists the values it may have");
    }
    return set_label(filter, name, name, value);
  }
  return fail(ErrorCode::unknown_parameter, "Unknown parameter " + shown(name));
}

bool matches(const Filter& filter, const Record& record) {
  if (!matches_header(filter, record.header)) return false;
  if (!needs_meta(filter)) return true;
  // Parsing costs more than everything above; without bytes there is nothing to match.
  if (!record.meta) return false;
  const auto meta = meta_of(record);
  return meta && matches_meta(filter, *meta);
}

bool matches(const Filter& filter, const Header& header, const Meta* meta) {
  if (!matches_header(filter, header)) return false;
  return !needs_meta(filter) || (meta != nullptr && matches_meta(filter, *meta));
}

}  // namespace annals::core
