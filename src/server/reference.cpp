#include "server/reference.hpp"

#include <span>
#include <string_view>

#include "core/filter.hpp"
#include "server/routes.hpp"

namespace annals::server {

namespace {

constexpr std::string_view introduction =
    "# HTTP reference\n"
    "\n"
    "Every call, generated from the route table: `annals http-reference > docs/http-reference.md`. "
    "The same table is served\n"
    "as an OpenAPI 3.1 document under `/openapi.json`. How the calls are used is told in\n"
    "[http-api.md](http-api.md).\n";

std::string code(std::string_view text) {
  return "`" + std::string{text} + "`";
}

std::string_view text_of(Audience audience) noexcept {
  switch (audience) {
    case Audience::everybody:
      return "No key needed.";
    case Audience::key:
      return "Any key.";
    case Audience::reader:
      return "A key that reads.";
    case Audience::admin:
      return "A key that reads everything.";
    case Audience::appender:
      return "A key that appends.";
    case Audience::metrics:
      return "The token `metrics.token`, when there is one.";
  }
  return "";
}

std::string_view text_of(ValueForm form) noexcept {
  switch (form) {
    case ValueForm::text:
      return "text";
    case ValueForm::cursor:
      return "number from 0";
    case ValueForm::count:
      return "number from 1";
    case ValueForm::start:
      return "`oldest`, `latest` or RFC 3339 time";
    case ValueForm::duration:
      return "duration";
    case ValueForm::uuid:
      return "UUID";
    case ValueForm::time:
      return "RFC 3339 time";
    case ValueForm::choice:
      return "choice";
  }
  return "";
}

std::string value_of(const Parameter& parameter) {
  if (parameter.choices.empty()) return std::string{text_of(parameter.form)};
  std::string out;
  for (const std::string_view choice : parameter.choices) {
    if (!out.empty()) out += ", ";
    out += code(choice);
  }
  return out;
}

void append_table(std::string& out, std::string_view title, std::span<const Parameter> parameters) {
  if (parameters.empty()) return;
  out += "\n| " + std::string{title} + " | value | meaning |\n|---|---|---|\n";
  for (const Parameter& parameter : parameters) {
    out += "| " + code(parameter.name) + " | " + value_of(parameter) + " | ";
    if (parameter.use == Use::stream) out += "Event streams only. ";
    if (parameter.use == Use::page) out += "Not for event streams. ";
    out += parameter.description;
    out += " |\n";
  }
}

void append_media(std::string& out, std::span<const Media> media) {
  bool first = true;
  for (const Media& one : media) {
    out += first ? " (" : "; ";
    first = false;
    out += code(one.type) + ": " + std::string{one.schema};
  }
  if (!first) out += ')';
}

void append_problems(std::string& out, const Route& route) {
  std::string codes;
  for (const auto& some : {route.problems, problems_of(route.audience)}) {
    for (const ProblemCode& problem : some) {
      if (!codes.empty()) codes += ", ";
      codes += code(name_of(problem)) + " " + std::to_string(status_of(problem));
    }
  }
  if (!codes.empty()) out += "\nProblems: " + codes + ".\n";
}

void append_route(std::string& out, const Route& route) {
  out += "\n## " + std::string{to_string(route.method)} + " " + std::string{route.pattern} + "\n\n";
  out += std::string{route.summary} + ". " + std::string{text_of(route.audience)} + "\n";
  if (!route.description.empty()) out += "\n" + std::string{route.description} + "\n";
  append_table(out, "in the path", route.path);
  append_table(out, "parameter", route.query);
  if (route.filters) out += "\nAnd all [filters](#filters).\n";
  append_table(out, "header", route.fields);
  if (!route.body.empty()) {
    out += "\nBody";
    append_media(out, route.body);
    out += ".\n";
  }
  out += "\n";
  for (const Answer& answer : route.answers) {
    out += "- " + code(std::to_string(answer.status)) + " " + std::string{answer.description};
    append_media(out, answer.media);
    out += "\n";
  }
  append_problems(out, route);
}

std::string_view text_of(core::FilterForm form) noexcept {
  switch (form) {
    case core::FilterForm::text:
      return "text, 1 to 200 bytes";
    case core::FilterForm::type:
      return "type or prefix";
    case core::FilterForm::actor:
      return "actor";
    case core::FilterForm::uuid:
      return "UUID";
    case core::FilterForm::time:
      return "RFC 3339 time";
  }
  return "";
}

void append_filters(std::string& out) {
  out +=
      "\n## Filters\n\nOne value each, combined with AND. Not accepted twice.\n"
      "\n| parameter | value | meaning |\n|---|---|---|\n";
  for (const core::FilterParameter& filter : core::filter_parameters()) {
    out += "| " + code(filter.name) + " | " + std::string{text_of(filter.form)} + " | " +
           std::string{filter.description} + " |\n";
  }
  out += "| `label.<name>` | text, at most 256 bytes | Exact value of any label |\n";
  out += "| `<name>` | text, or one of the catalogue's values | ";
  out += "Exact value of a label that the catalogue declares as a filter |\n";
}

void append_common(std::string& out) {
  out += "\n## Every call\n\nProblems that any call may have:";
  bool first = true;
  for (const ProblemCode& problem : common_problems()) {
    out += first ? " " : ", ";
    first = false;
    out += code(name_of(problem)) + " " + std::to_string(status_of(problem));
  }
  out +=
      ". A path or method that is not here is `not_found` 404 or `method_not_allowed` 405. `HEAD` "
      "is answered like `GET`, without the body. Where a key is needed, `ticket` in the query does "
      "once instead, but for `POST /v1/tickets`.\n";
}

}  // namespace

std::string reference_page() {
  std::string out{introduction};
  for (const Route& route : routes())
    append_route(out, route);
  append_filters(out);
  append_common(out);
  return out;
}

}  // namespace annals::server
