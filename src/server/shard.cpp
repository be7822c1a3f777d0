#include "server/shard.hpp"

#include <boost/asio/post.hpp>
#include <utility>

namespace annals::server {

namespace {

constexpr std::size_t scratch_bytes = std::size_t{64} * 1024;

}  // namespace

Shard::Shard(std::chrono::milliseconds tick, std::size_t cache_bytes, InFlight& open)
    : tick_(tick),
      cache_bytes_(cache_bytes),
      open_(open),
      work_(boost::asio::make_work_guard(context_)),
      timer_(context_),
      cache_(cache_bytes),
      scratch_(scratch_bytes) {}

Shard::~Shard() {
  stop();
}

void Shard::start() {
  thread_ = std::thread{[this] { context_.run(); }};
}

void Shard::stop() {
  context_.stop();
  if (thread_.joinable()) thread_.join();
  sessions_.clear();
}

void Shard::post(std::function<void()> work) {
  boost::asio::post(context_, std::move(work));
}

void Shard::publish(std::shared_ptr<const AccessState> access) {
  std::unique_lock lock{mutex_};
  inbox_.access = std::move(access);
  schedule(std::move(lock));
}

void Shard::publish(std::vector<FrameRunPtr> runs) {
  std::unique_lock lock{mutex_};
  for (FrameRunPtr& run : runs) {
    inbox_.bytes += run->bytes();
    inbox_.head = run->last();
    inbox_.runs.push_back(std::move(run));
  }
  while (inbox_.bytes > cache_bytes_ && !inbox_.runs.empty()) {
    inbox_.bytes -= inbox_.runs.front()->bytes();
    inbox_.runs.pop_front();
  }
  schedule(std::move(lock));
}

void Shard::publish(std::uint64_t head) {
  std::unique_lock lock{mutex_};
  if (head <= inbox_.head) return;
  inbox_.head = head;
  inbox_.runs.clear();
  inbox_.bytes = 0;
  schedule(std::move(lock));
}

void Shard::schedule(std::unique_lock<std::mutex> lock) {
  if (std::exchange(inbox_.scheduled, true)) return;
  lock.unlock();
  boost::asio::post(context_, [this] { apply_news(); });
}

void Shard::apply_news() {
  Inbox news;
  {
    const std::lock_guard lock{mutex_};
    news.access = std::exchange(inbox_.access, nullptr);
    news.runs.swap(inbox_.runs);
    news.head = inbox_.head;
    inbox_.bytes = 0;
    inbox_.scheduled = false;
  }
  if (news.access) {
    // Before the frames: a change of rights governs the very next event.
    access_ = std::move(news.access);
    for_each([](Session& session) { session.on_access(); });
  }
  for (FrameRunPtr& run : news.runs)
    cache_.push(std::move(run));
  cache_.advance(news.head);
  for_each([](Session& session) { session.on_news(); });
}

void Shard::stop_sessions() {
  post([this] { for_each([](Session& session) { session.stop(); }); });
}

void Shard::cut_sessions() {
  post([this] { for_each([](Session& session) { session.cut(); }); });
}

void Shard::add(const std::shared_ptr<Session>& session) {
  sessions_.emplace(session.get(), OpenSession{session, open_.token()});
  arm_tick();
}

void Shard::remove(const Session& session) {
  sessions_.erase(&session);
}

template <typename Action>
void Shard::for_each(Action action) {
  // A session may remove itself or bring in another one meanwhile.
  std::vector<std::shared_ptr<Session>> all;
  all.reserve(sessions_.size());
  for (const auto& [key, open] : sessions_)
    all.push_back(open.session);
  for (const auto& session : all)
    action(*session);
}

void Shard::arm_tick() {
  if (std::exchange(ticking_, true)) return;
  timer_.expires_after(tick_);
  timer_.async_wait([this](const boost::system::error_code& error) {
    ticking_ = false;
    if (!error) on_tick();
  });
}

void Shard::on_tick() {
  const Deadline now = std::chrono::steady_clock::now();
  for_each([now](Session& session) { session.on_tick(now); });
  if (!sessions_.empty()) arm_tick();
}

}  // namespace annals::server
