-- One event a request, as src/bench/sample_events.cpp makes them; any answer but 201 is counted.
refused = 0  -- global: read from outside its thread
local number = 0
local threads = {}

function setup(thread)
  thread:set("id", #threads)
  table.insert(threads, thread)
end

function init()
  number = id * 100000000
  refused = 0
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  number = number + 1
  local start = '{"number":' .. number .. ',"text":"'
  local payload = start .. string.rep(string.char(97 + number % 26), 298 - #start) .. '"}'
  return wrk.format(nil, nil, nil,
    '{"type":"order.paid","stream":"order-' .. (number * 7919) % 1000 ..
    '","scope":{"channel_id":"channel-' .. (number * 31) % 1000 ..
    '"},"labels":{"country":"c' .. number % 100 .. '","customer":"k' .. (number * 48271) % 100000 ..
    '"},"payload":' .. payload .. '}')
end

function response(status)
  if status ~= 201 then refused = refused + 1 end
end

function done(summary, latency)
  local all = 0
  for _, thread in ipairs(threads) do all = all + thread:get("refused") end
  io.write(string.format('{"count":%d,"seconds":%.4f,"refused":%d,"p50_ms":%.3f,"p99_ms":%.3f,"longest_ms":%.3f}\n',
    summary.requests, summary.duration / 1e6, all + summary.errors.connect + summary.errors.read +
    summary.errors.write + summary.errors.timeout, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    latency.max / 1e3))
end
