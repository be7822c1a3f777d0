#include "server/append_body.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "wire/checked_request.hpp"
#include "wire/cloud_event_reader.hpp"
#include "wire/cloud_event_writer.hpp"

namespace annals::server {

namespace {

/// What the names of attributes begin with in the head.
constexpr std::string_view prefix = "ce-";

std::vector<wire::AttributeField> attributes_of(const Request& request) {
  std::vector<wire::AttributeField> attributes;
  for (const Field& field : request.fields) {
    const std::string_view name = field.name;
    if (name.starts_with(prefix)) attributes.emplace_back(name.substr(prefix.size()), field.value);
  }
  return attributes;
}

Result<wire::IncomingRequest> read_cloud_events(const Request& request, AppendForm form,
                                                std::size_t max_events) {
  if (form == AppendForm::cloud_event) return wire::read_cloud_event_request(request.body);
  if (form == AppendForm::cloud_event_batch) {
    return wire::read_cloud_event_batch(request.body, max_events);
  }
  return wire::read_binary_cloud_event(attributes_of(request), request.body);
}

}  // namespace

AppendForm append_form_of(const Request& request) {
  const std::string type = media_type(request.header("content-type").value_or(""));
  if (type == wire::cloud_event_type) return AppendForm::cloud_event;
  if (type == wire::cloud_event_batch_type) return AppendForm::cloud_event_batch;
  const bool binary = std::ranges::any_of(
      request.fields, [](const Field& field) { return field.name.starts_with(prefix); });
  if (binary) {
    const bool empty = type.empty() && !request.has_body();
    return type == "application/json" || empty ? AppendForm::binary_cloud_event
                                               : AppendForm::unknown;
  }
  if (type == "application/json") return AppendForm::events;
  return type == "application/x-ndjson" ? AppendForm::lines : AppendForm::unknown;
}

bool is_cloud_event(AppendForm form) noexcept {
  return form == AppendForm::cloud_event || form == AppendForm::cloud_event_batch ||
         form == AppendForm::binary_cloud_event;
}

Result<wire::IncomingRequest> read_append_body(const Request& request, AppendForm form,
                                               std::size_t max_events,
                                               const core::EventRules& rules) {
  if (!is_cloud_event(form)) return wire::read_checked_request(request.body, max_events, rules);
  return wire::check_request(read_cloud_events(request, form, max_events), rules,
                             wire::attribute_pointer);
}

}  // namespace annals::server
