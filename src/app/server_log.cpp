#include "app/server_log.hpp"

#include <spdlog/formatter.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "annals/time.hpp"
#include "wire/text.hpp"

namespace annals::app {
namespace {

class JsonFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    const auto time = std::chrono::time_point_cast<std::chrono::microseconds>(message.time);
    const auto level = spdlog::level::to_string_view(message.level);
    std::string line = "{";
    wire::append_member(line, "time", to_string(time));
    wire::append_member(line, "level", std::string_view(level.data(), level.size()));
    const std::string_view payload(message.payload.data(), message.payload.size());
    if (payload.starts_with('{')) {
      // The server's line about a request, an object already: its members stand beside ours.
      line += ',';
      line += payload.substr(1);
    } else {
      wire::append_name(line, "message");
      wire::append_any_string(line, payload);
      line += '}';
    }
    line += '\n';
    out.append(line.data(), line.data() + line.size());
  }

  [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }
};

}  // namespace

std::shared_ptr<spdlog::logger> make_server_log(const config::LoggingSettings& settings) {
  auto logger =
      std::make_shared<spdlog::logger>("annals", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_level(spdlog::level::from_str(settings.level));
  if (settings.format == "json") {
    logger->set_formatter(std::make_unique<JsonFormatter>());
  } else {
    logger->set_formatter(std::make_unique<spdlog::pattern_formatter>(
        "%Y-%m-%dT%H:%M:%S.%fZ %l %v", spdlog::pattern_time_type::utc));
  }
  return logger;
}

}  // namespace annals::app
