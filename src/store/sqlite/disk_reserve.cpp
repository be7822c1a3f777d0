#include "store/sqlite/disk_reserve.hpp"

#include <string>
#include <system_error>

namespace annals::store::sqlite {

Result<void> check_reserve(const std::filesystem::path& path, std::uint64_t reserve) {
  if (reserve == 0) return {};
  std::error_code error;
  const auto space = std::filesystem::space(path, error);
  if (error || space.available >= reserve) return {};
  return fail(ErrorCode::store_full,
              "the volume of the log has " + std::to_string(space.available) +
                  " bytes left, fewer than sqlite.disk_reserve (" + std::to_string(reserve) + ")");
}

}  // namespace annals::store::sqlite
