-- Returns permits and applies the outcome of their requests: unused tokens return, a 429 slows and blocks the lane, and
-- outages open the circuit breaker until a reply closes it.
--
-- KEYS  state of the lane (hash), permits in flight (sorted set), items that failed since a reply (set)
-- ARGV  failures to open the breaker, items they must concern; then nine values per permit:
--       permit, tokens reserved, tokens used, retryAfterMs (-1: not throttled), outcome ('reply', 'outage' or '':
--       unknown), item, error, ms until the provider's own limit is refilled (-1: unknown), reason of the block
-- Returns the time the breaker opened, or 0 while it is closed. Times are ms of the server's clock.

local state, permits, failing = KEYS[1], KEYS[2], KEYS[3]
local failures_to_open, items_to_open = tonumber(ARGV[1]), tonumber(ARGV[2])

-- Time between probes; doubles with every failed probe.
local MIN_PROBE_MS = 1000
local MAX_PROBE_MS = 30000
-- Multiplicative decrease after a 429, no more than once per second.
local FACTOR_DECREASE = 0.7
local MIN_FACTOR = 0.05
local DECREASE_INTERVAL_MS = 1000
local FAILING_TTL_MS = 3600000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local stored = redis.call('HMGET', state, 'failures', 'outage_since', 'probe', 'probe_ms')
local failures, outage_since, probe = tonumber(stored[1] or '0'), stored[2], stored[3]
local probe_ms = tonumber(stored[4] or MIN_PROBE_MS)
local failures_before = failures

local function close_breaker()
  failures = 0
  if not outage_since then return end
  redis.call('HDEL', state, 'outage_since', 'probe', 'probe_at', 'probe_ms', 'error')
  outage_since = false
end

local function probe_later(err)
  redis.call('HSET', state, 'probe', '', 'probe_ms', probe_ms, 'probe_at', now + probe_ms, 'error', err)
end

local function count_failure(permit, item, err)
  failures = failures + 1
  redis.call('SADD', failing, item)
  redis.call('PEXPIRE', failing, FAILING_TTL_MS)
  if outage_since then
    if probe ~= permit then return end
    probe_ms, probe = math.min(probe_ms * 2, MAX_PROBE_MS), false
    probe_later(err)
  elseif failures >= failures_to_open and redis.call('SCARD', failing) >= items_to_open then
    outage_since, probe_ms = tostring(now), MIN_PROBE_MS
    redis.call('HSET', state, 'outage_since', outage_since)
    probe_later(err)
  end
end

-- Stored with the time it explains, because other code sets blocked_until without a reason.
local function block_for(ms, reason)
  if now + ms > tonumber(redis.call('HGET', state, 'blocked_until') or '0') then
    redis.call('HSET', state, 'blocked_until', now + ms, 'block_reason', reason, 'block_reason_of', now + ms)
  end
end

local function slow_down()
  local slowed = redis.call('HMGET', state, 'factor', 'lowered_at')
  if now - tonumber(slowed[2] or '0') <= DECREASE_INTERVAL_MS then return end
  local factor = math.max(MIN_FACTOR, tonumber(slowed[1] or '1') * FACTOR_DECREASE)
  redis.call('HSET', state, 'factor', tostring(factor), 'factor_at', now, 'lowered_at', now)
end

for i = 3, #ARGV, 9 do
  local permit, unused = ARGV[i], tonumber(ARGV[i + 1]) - tonumber(ARGV[i + 2])
  local retry_after_ms, outcome = tonumber(ARGV[i + 3]), ARGV[i + 4]
  local item, err, refilled_in_ms, reason = ARGV[i + 5], ARGV[i + 6], tonumber(ARGV[i + 7]), ARGV[i + 8]
  redis.call('ZREM', permits, permit)
  if outcome == 'reply' then
    close_breaker()
  elseif outcome == 'outage' then
    count_failure(permit, item, err)
  elseif outage_since and probe == permit then
    -- The probe was aborted without an outcome: the next request probes.
    redis.call('HSET', state, 'probe', '', 'probe_at', now)
  end
  if refilled_in_ms >= 0 then block_for(refilled_in_ms, reason) end
  if unused ~= 0 and redis.call('HEXISTS', state, 'tokens') == 1 then
    redis.call('HINCRBYFLOAT', state, 'tokens', unused)
  end
  if retry_after_ms >= 0 then
    slow_down()
    block_for(retry_after_ms, reason)
  end
end

if failures ~= failures_before then
  redis.call('HSET', state, 'failures', failures)
  if failures == 0 then redis.call('DEL', failing) end
end
return tonumber(outage_since or '0')
