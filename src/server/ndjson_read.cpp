#include "server/ndjson_read.hpp"

#include <algorithm>
#include <utility>

#include "wire/format.hpp"

namespace annals::server {

namespace {

/// A piece ends behind the line that makes it larger than this.
constexpr std::size_t piece_bytes = std::size_t{256} * 1024;

/// No further piece is made while more than this waits to be sent.
constexpr std::size_t max_unsent_bytes = piece_bytes;

constexpr std::size_t max_read = 1000;

/// Events looked at for a piece: bounds how long it holds a worker.
constexpr std::size_t max_scan = 10'000;

constexpr std::size_t min_read = 16;

/// How many records make a piece, if they go on as they were.
std::size_t next_read(std::size_t read, std::uint64_t used, std::size_t bytes) {
  const std::uint64_t wanted = bytes == 0 ? max_read : piece_bytes * used / bytes + 1;
  return std::clamp<std::uint64_t>(wanted, min_read, std::min(read * 4, max_read));
}

}  // namespace

std::shared_ptr<NdjsonRead> NdjsonRead::begin(Service& service, NdjsonScope scope,
                                              std::shared_ptr<StreamOutput> output) {
  auto read = std::make_shared<NdjsonRead>(service, std::move(scope), std::move(output));
  read->go_on();
  return read;
}

NdjsonRead::NdjsonRead(Service& service, NdjsonScope scope, std::shared_ptr<StreamOutput> output)
    : service_(service),
      scope_(std::move(scope)),
      output_(std::move(output)),
      scanned_(scope_.after),
      left_(scope_.limit) {}

void NdjsonRead::go_on() {
  if (detached_ || making_ || output_->unsent() > max_unsent_bytes) return;
  making_ = true;
  const bool queued = service_.workers.submit(
      [self = shared_from_this(), after = scanned_, left = left_, read = next_read_] {
        auto piece = self->make(after, left, read);
        self->output_->post(
            [self, piece = std::move(piece)]() mutable { self->take(std::move(piece)); });
      });
  // Without a worker the server is stopping, and closes the connection itself.
  if (!queued) detached_ = true;
}

Result<NdjsonRead::Piece> NdjsonRead::make(std::uint64_t after, std::uint64_t left,
                                           std::size_t read) const {
  if (!service_.access.state()->holds(scope_.caller, wall_clock())) {
    return fail(ErrorCode::not_authenticated, "the key was revoked or has expired meanwhile");
  }
  auto piece = select(scope_.selection, after, left, read);
  if (!piece || !scope_.selection.viewer.keyless) return piece;
  Selection again = scope_.selection;
  const auto learnt = service_.access.learn_key(again.viewer);
  if (!learnt) return std::unexpected(learnt.error());
  return *learnt ? select(again, after, left, read) : std::move(piece);
}

Result<NdjsonRead::Piece> NdjsonRead::select(const Selection& selection, std::uint64_t after,
                                             std::uint64_t left, std::size_t read) const {
  Piece piece;
  piece.scanned = after;
  if (after >= scope_.head || left == 0) return piece;
  const auto page = service_.log.read(
      {.after = after, .limit = read, .filter = selection.filter(), .max_scan = max_scan});
  if (!page) return std::unexpected(page.error());
  if (page->oldest > after + 1) {
    return fail(ErrorCode::resync_required, "retention overtook the reader");
  }
  std::size_t used = 0;
  for (const Record& record : page->records) {
    if (record.header.seq > scope_.head || piece.events == left) break;
    if (piece.lines.size() >= piece_bytes) break;
    piece.scanned = record.header.seq;
    ++used;
    if (!selection.viewer.sees(record)) continue;
    if (auto appended =
            wire::append_event(piece.lines, record, selection.viewer.rendering(), selection.format);
        !appended) {
      return std::unexpected(appended.error());
    }
    piece.lines += '\n';
    ++piece.events;
  }
  if (used == page->records.size()) piece.scanned = std::max(piece.scanned, page->scanned);
  piece.next_read = next_read(read, used, piece.lines.size());
  return piece;
}

void NdjsonRead::take(Result<Piece> piece) {
  making_ = false;
  if (detached_) return;
  if (!piece) {
    detached_ = true;
    output_->abort();
    return;
  }
  const bool over =
      piece->scanned >= scope_.head || piece->events == left_ || piece->scanned == scanned_;
  scanned_ = piece->scanned;
  left_ -= piece->events;
  next_read_ = piece->next_read;
  if (!piece->lines.empty()) output_->write(std::move(piece->lines));
  if (over) {
    detached_ = true;
    output_->end();
    return;
  }
  go_on();
}

}  // namespace annals::server
