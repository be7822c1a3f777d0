#include "wire/checked_request.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/json_split.hpp"

namespace annals::wire {

namespace {

bool is_at_or_below(std::string_view pointer, std::string_view above) noexcept {
  return pointer.starts_with(above) &&
         (pointer.size() == above.size() || pointer[above.size()] == '/');
}

/// The error of a request with violations.
Error invalid_events(const IncomingRequest& request, const core::EventRules& rules,
                     NameMember name) {
  std::vector<Violation> violations;
  auto next = request.violations.begin();
  for (std::size_t index = 0; index < request.events.size(); ++index) {
    const auto end = std::find_if(next, request.violations.end(), [&](const Violation& violation) {
      return violation.index != index;
    });
    const std::span known{next, end};
    violations.insert(violations.end(), next, end);
    next = end;
    if (std::ranges::binary_search(request.incomplete, index)) continue;
    std::vector<Violation> found;
    (void)core::validate(request.events[index], index, rules, core::Origin::producer, {}, found);
    for (Violation& violation : found)
      violation.pointer = name(violation.pointer);
    std::erase_if(found, [&](const Violation& violation) {
      return std::ranges::any_of(known, [&](const Violation& other) {
        return is_at_or_below(violation.pointer, other.pointer);
      });
    });
    std::ranges::move(found, std::back_inserter(violations));
  }
  const std::string detail = violations.size() == 1
                                 ? violations.front().message
                                 : std::to_string(violations.size()) + " rules are broken";
  return Error{ErrorCode::invalid_event, detail, InvalidEvent{std::move(violations)}, {}};
}

std::string as_it_is(std::string_view pointer) {
  return std::string{pointer};
}

}  // namespace

Result<IncomingRequest> check_request(Result<IncomingRequest> request,
                                      const core::EventRules& rules, NameMember name) {
  if (!request || request->violations.empty()) return request;
  return std::unexpected(invalid_events(*request, rules, name));
}

Result<IncomingRequest> read_checked_request(std::string_view body, std::size_t max_events,
                                             const core::EventRules& rules) {
  return check_request(read_request(body, max_events), rules, as_it_is);
}

Result<IncomingRequest> read_checked_line(std::string_view line, const core::EventRules& rules) {
  if (is_array(line)) {
    return fail(ErrorCode::invalid_request, "a line holds one event, not an array");
  }
  return read_checked_request(line, 1, rules);
}

}  // namespace annals::wire
