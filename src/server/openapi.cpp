#include "server/openapi.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "core/filter.hpp"
#include "server/routes.hpp"
#include "wire/text.hpp"

namespace annals::server {

namespace {

using wire::append_member;
using wire::append_name;
using wire::append_true;

constexpr std::string_view number_schema =
    R"({"type":"integer","minimum":0,"maximum":9007199254740991})";
constexpr std::string_view count_schema =
    R"({"type":"integer","minimum":1,"maximum":9007199254740991})";
constexpr std::string_view duration_schema =
    R"({"type":"string","pattern":"^[0-9]{1,9}(ms|s|m)$"})";
constexpr std::string_view uuid_schema = R"({"type":"string","format":"uuid"})";
constexpr std::string_view time_schema = R"({"type":"string","format":"date-time"})";
constexpr std::string_view text_schema = R"({"type":"string"})";
constexpr std::string_view start_schema =
    R"({"anyOf":[{"enum":["oldest","latest"]},{"type":"string","format":"date-time"}]})";

/// Writes an object or a list, and closes it.
template <typename Content>
void nest(std::string& out, char open, char close, Content content) {
  out += open;
  content();
  out += close;
}

template <typename Content>
void object(std::string& out, std::string_view name, Content content) {
  append_name(out, name);
  nest(out, '{', '}', content);
}

template <typename Content>
void list(std::string& out, std::string_view name, Content content) {
  append_name(out, name);
  nest(out, '[', ']', content);
}

void comma(std::string& out) {
  if (out.back() != '[') out += ',';
}

void append_reference(std::string& out, std::string_view schema) {
  object(out, "schema",
         [&] { append_member(out, "$ref", "#/components/schemas/" + std::string{schema}); });
}

std::string_view schema_of(ValueForm form) noexcept {
  switch (form) {
    case ValueForm::cursor:
      return number_schema;
    case ValueForm::count:
      return count_schema;
    case ValueForm::start:
      return start_schema;
    case ValueForm::duration:
      return duration_schema;
    case ValueForm::uuid:
      return uuid_schema;
    case ValueForm::time:
      return time_schema;
    case ValueForm::text:
    case ValueForm::choice:
      return text_schema;
  }
  return text_schema;
}

ValueForm form_of(core::FilterForm form) noexcept {
  if (form == core::FilterForm::uuid) return ValueForm::uuid;
  if (form == core::FilterForm::time) return ValueForm::time;
  return ValueForm::text;
}

void append_value_schema(std::string& out, const Parameter& parameter) {
  append_name(out, "schema");
  if (parameter.choices.empty()) {
    out += schema_of(parameter.form);
    return;
  }
  nest(out, '{', '}', [&] {
    append_member(out, "type", "string");
    list(out, "enum", [&] {
      for (const std::string_view choice : parameter.choices) {
        comma(out);
        wire::append_any_string(out, choice);
      }
    });
  });
}

void append_parameter(std::string& out, const Parameter& parameter, std::string_view place) {
  comma(out);
  nest(out, '{', '}', [&] {
    append_member(out, "name", parameter.name);
    append_member(out, "in", place);
    if (place == "path") append_true(out, "required");
    append_member(out, "description", parameter.description);
    append_value_schema(out, parameter);
  });
}

void append_filters(std::string& out) {
  for (const core::FilterParameter& filter : core::filter_parameters()) {
    append_parameter(out, {filter.name, form_of(filter.form), filter.description}, "query");
  }
  comma(out);
  nest(out, '{', '}', [&] {
    append_member(out, "name", "labels");
    append_member(out, "in", "query");
    append_member(out, "description",
                  "Exact values of labels: `label.<name>` for any, `<name>` for those that the "
                  "catalogue declares as filters.");
    append_member(out, "style", "form");
    append_true(out, "explode");
    append_name(out, "schema");
    out += R"({"type":"object","additionalProperties":{"type":"string"}})";
  });
}

void append_parameters(std::string& out, const Route& route) {
  if (route.path.empty() && route.query.empty() && route.fields.empty()) return;
  list(out, "parameters", [&] {
    for (const Parameter& parameter : route.path)
      append_parameter(out, parameter, "path");
    for (const Parameter& parameter : route.query)
      append_parameter(out, parameter, "query");
    if (route.filters) append_filters(out);
    for (const Parameter& parameter : route.fields)
      append_parameter(out, parameter, "header");
  });
}

/// Lines and frames have no schema of the whole body: the document names that of one of them.
void append_media(std::string& out, std::span<const Media> media) {
  object(out, "content", [&] {
    for (const Media& one : media) {
      object(out, one.type, [&] {
        if (one.type != "application/x-ndjson") {
          append_reference(out, one.schema);
          return;
        }
        append_name(out, "schema");
        nest(out, '{', '}', [&] {
          append_member(out, "type", "string");
          append_member(out, "description",
                        "One JSON object per line, each as in #/components/schemas/" +
                            std::string{one.schema} + ".");
        });
      });
    }
  });
}

/// The codes of a route's problems by status, each once.
std::map<int, std::set<std::string_view>> problems_by_status(const Route& route) {
  std::map<int, std::set<std::string_view>> codes;
  for (const auto& some : {route.problems, problems_of(route.audience), common_problems()}) {
    for (const ProblemCode& code : some)
      codes[status_of(code)].insert(name_of(code));
  }
  return codes;
}

void append_responses(std::string& out, const Route& route) {
  object(out, "responses", [&] {
    for (const Answer& answer : route.answers) {
      object(out, std::to_string(answer.status), [&] {
        append_member(out, "description", answer.description);
        if (!answer.media.empty()) append_media(out, answer.media);
      });
    }
    for (const auto& [status, codes] : problems_by_status(route)) {
      std::string description;
      for (const std::string_view code : codes) {
        if (!description.empty()) description += ", ";
        description += code;
      }
      object(out, std::to_string(status), [&] {
        append_member(out, "description", description);
        object(out, "content", [&] {
          object(out, wire::problem_content_type, [&] { append_reference(out, "Problem"); });
        });
      });
    }
  });
}

/// A call without a key is possible as long as the log has none.
std::string_view security_of(const Route& route) noexcept {
  if (route.audience == Audience::everybody) return "[]";
  if (route.audience == Audience::metrics) return R"([{"metricsToken":[]},{}])";
  if (takes_ticket(route)) return R"([{"apiKey":[]},{"bearer":[]},{"ticket":[]},{}])";
  return R"([{"apiKey":[]},{"bearer":[]},{}])";
}

std::string lower(std::string_view text) {
  std::string out{text};
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  });
  return out;
}

void append_operation(std::string& out, const Route& route) {
  object(out, lower(to_string(route.method)), [&] {
    append_member(out, "operationId", route.id);
    append_member(out, "summary", route.summary);
    if (!route.description.empty()) append_member(out, "description", route.description);
    append_name(out, "security");
    out += security_of(route);
    append_parameters(out, route);
    if (!route.body.empty()) {
      object(out, "requestBody", [&] {
        append_true(out, "required");
        append_media(out, route.body);
      });
    }
    append_responses(out, route);
  });
}

void append_paths(std::string& out) {
  std::set<std::string_view> done;
  object(out, "paths", [&] {
    for (const Route& first : routes()) {
      if (!done.insert(first.pattern).second) continue;
      object(out, first.pattern, [&] {
        for (const Route& route : routes()) {
          if (route.pattern == first.pattern) append_operation(out, route);
        }
      });
    }
  });
}

void append_components(std::string& out) {
  object(out, "components", [&] {
    object(out, "schemas", [&] {
      for (const Schema& schema : schemas()) {
        append_name(out, schema.name);
        out += schema.json;
      }
    });
    append_name(out, "securitySchemes");
    out += R"({"apiKey":{"type":"apiKey","in":"header","name":"X-API-Key"},)"
           R"("bearer":{"type":"http","scheme":"bearer",)"
           R"("description":"A key, or a JSON Web Token where the server takes them."},)"
           R"("ticket":{"type":"apiKey","in":"query","name":"ticket"},)"
           R"("metricsToken":{"type":"http","scheme":"bearer"}})";
  });
}

}  // namespace

std::string openapi_document(std::string_view version) {
  std::string out = "{";
  append_member(out, "openapi", "3.1.0");
  object(out, "info", [&] {
    append_member(out, "title", "Annals");
    append_member(out, "summary", "A durable event log");
    append_member(out, "version", version);
  });
  list(out, "servers", [&] { out += R"({"url":"/"})"; });
  append_paths(out);
  append_components(out);
  out += '}';
  return out;
}

}  // namespace annals::server
