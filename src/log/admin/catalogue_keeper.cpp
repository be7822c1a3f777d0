#include "log/admin/catalogue_keeper.hpp"

#include <string>
#include <utility>

#include "core/hash.hpp"
#include "log/admin/own_change.hpp"

namespace annals::log {

CatalogueKeeper::CatalogueKeeper(Store& store, RequestPreparer& preparer, Clock& clock,
                                 std::chrono::milliseconds write_timeout)
    : store_(store),
      preparer_(preparer),
      clock_(clock),
      write_timeout_(write_timeout) {}

std::shared_ptr<const core::Catalogue> CatalogueKeeper::current() const {
  const std::lock_guard lock(mutex_);
  return catalogue_;
}

Result<void> CatalogueKeeper::use(core::Catalogue catalogue, std::uint64_t version) {
  const std::lock_guard lock(mutex_);
  // Two threads may have read two versions: the newer one stays.
  if (loaded_ && version <= version_) return {};
  auto shared = std::make_shared<const core::Catalogue>(std::move(catalogue));
  if (auto used = preparer_.use_catalogue(shared); !used) return used;
  catalogue_ = std::move(shared);
  version_ = version;
  loaded_ = true;
  return {};
}

Result<void> CatalogueKeeper::refresh() {
  auto stored = store_.admin().catalogue();
  if (!stored) return std::unexpected(std::move(stored).error());
  {
    const std::lock_guard lock(mutex_);
    if (loaded_ && stored->version <= version_) return {};
  }
  if (stored->version == 0) return use(core::Catalogue(), 0);
  auto parsed = core::Catalogue::parse(stored->document);
  if (!parsed) {
    return fail(ErrorCode::store_corrupt,
                "the stored catalogue cannot be read: " + parsed.error().detail);
  }
  return use(*std::move(parsed), stored->version);
}

Result<bool> CatalogueKeeper::apply(const WriteCapability& by, std::string_view json) {
  auto state = store_.events().state();
  if (!state) return std::unexpected(std::move(state).error());
  if (by.holder() != state->local_key_id) {
    return fail(ErrorCode::not_allowed, "the catalogue is administered by the local administrator");
  }
  auto parsed = core::Catalogue::parse(json);
  if (!parsed) return std::unexpected(std::move(parsed).error());

  const auto event = [&](AdminWriter& admin) -> Result<std::optional<core::Draft>> {
    auto stored = admin.catalogue();
    if (!stored) return std::unexpected(std::move(stored).error());
    const bool same =
        stored->version == 0 ? parsed->entries().empty() : stored->document == parsed->document();
    if (same) return std::nullopt;
    NewEvent changed;
    changed.type = "log.catalogue_changed";
    changed.stream = "$catalogue";
    changed.resource.kind = "catalogue";
    changed.payload = "{\"types\":" + std::to_string(parsed->entries().size()) + ",\"digest\":\"" +
                      to_hex(core::blake3(parsed->document())) + "\"}";
    return preparer_.prepare_own(by.holder(), changed);
  };
  const auto change = [&](AdminWriter& admin, const AppendedEvent& placed) {
    return admin.put_catalogue({parsed->document(), placed.seq});
  };
  auto appended =
      append_own_change(store_, clock_, write_timeout_, PermissionBump::no, event, change);
  if (!appended) return std::unexpected(std::move(appended).error());
  if (!*appended) return false;
  if (auto used = use(*std::move(parsed), (*appended)->seq); !used) {
    return std::unexpected(std::move(used).error());
  }
  return true;
}

}  // namespace annals::log
