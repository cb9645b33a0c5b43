-- Grants permits to a batch of waiting requests, in order, until one has to wait. A request gets everything it needs
-- (a place in flight, a request, its tokens) or nothing.
--
-- KEYS  state of the lane (hash), permits in flight (sorted set: permit -> expiry)
-- ARGV  permit_ttl_ms, max_block_ms, requests per minute (0: no limit), tokens per minute (0: no limit), concurrency,
--       what to do if Redis has no state of the lane ('': ask, 'new': begin, 'lost': recover),
--       then the batch: all permits, then the tokens that each reserves
-- Returns the number of permits granted and, unless all were, the wait in ms and its reason.
-- Times are ms of the server's clock.

local state, permits = KEYS[1], KEYS[2]
local permit_ttl_ms, max_block_ms = tonumber(ARGV[1]), tonumber(ARGV[2])
local rpm, tpm, concurrency, birth = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
local before_batch = 6
local batch_size = (#ARGV - before_batch) / 2

-- Used share of a limit, because the provider's clock differs from ours.
local HEADROOM = 0.98
-- Capacity of a bucket as time at the full rate, so that a late waiter loses nothing.
local BURST_MS = 100
-- Nothing is granted for this long after Redis lost all or some of its data: every process can reconnect and renew its
-- permits.
local RECOVERY_MS = 2500
-- A probe expires after this time, in case its process died.
local PROBE_TTL_MS = 60000
-- Additive increase per second after a 429.
local FACTOR_GROWTH = 0.05
-- How soon a waiter asks again for a free place, and during a probe for the end of the outage.
local CONCURRENCY_WAIT_MS = 25
local OUTAGE_WAIT_MS = 100
local STATE_TTL_MS = 3600000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- State that another server wrote: a replica was promoted, or Redis began again with what it had saved. The last
-- writes may be missing.
local server = redis.call('INFO', 'server'):match('run_id:(%x+)') or ''
local written_by = redis.call('HGET', state, 'server')
if written_by and written_by ~= server then
  redis.call('HSET', state, 'requests', '0', 'requests_at', now, 'tokens', '0', 'tokens_at', now,
    'blocked_until', math.max(tonumber(redis.call('HGET', state, 'blocked_until') or '0'), now + RECOVERY_MS))
end

if redis.call('EXISTS', state) == 0 then
  if birth == '' then return {0, 0, 'unknown'} end
  redis.call('HSET', state, 'factor', '1', 'factor_at', now)
  if birth == 'new' then
    redis.call('HSET', state, 'requests', '1', 'requests_at', now, 'tokens', '1', 'tokens_at', now)
  else
    redis.call('HSET', state, 'requests', '0', 'requests_at', now, 'tokens', '0', 'tokens_at', now,
      'blocked_until', now + RECOVERY_MS)
  end
end
if written_by ~= server then redis.call('HSET', state, 'server', server) end

local stored = redis.call('HMGET', state, 'factor', 'factor_at', 'blocked_until', 'requests', 'requests_at',
  'tokens', 'tokens_at', 'outage_since', 'probe_at')
local factor, factor_at = tonumber(stored[1] or '1'), tonumber(stored[2] or now)
local blocked_until, in_outage, probe_at = tonumber(stored[3] or '0'), stored[8], tonumber(stored[9] or '0')

if factor < 1 then factor = math.min(1, factor + FACTOR_GROWTH * (now - factor_at) / 1000) end

if blocked_until > now + max_block_ms then
  blocked_until = now + max_block_ms
  redis.call('HSET', state, 'blocked_until', blocked_until)
end
if blocked_until > now then return {0, blocked_until - now, 'blocked'} end

local grantable = batch_size
if in_outage then
  if now < probe_at then return {0, probe_at - now, 'outage'} end
  grantable = 1
end

-- The current level of a bucket.
local function refill(level, level_at, rate, capacity)
  return math.min(capacity, tonumber(level or '0') + (now - tonumber(level_at or now)) * rate)
end

local requests, request_rate
if rpm > 0 then
  request_rate = rpm * factor * HEADROOM / 60000
  requests = refill(stored[4], stored[5], request_rate, 1 + request_rate * BURST_MS)
end
local tokens, token_rate, full
if tpm > 0 then
  token_rate = tpm * factor * HEADROOM / 60000
  full = math.max(1, token_rate * BURST_MS)
  tokens = refill(stored[6], stored[7], token_rate, 2 * full)
end

redis.call('ZREMRANGEBYSCORE', permits, '-inf', now)
local in_flight = redis.call('ZCARD', permits)
local max_in_flight = math.max(1, math.floor(concurrency * factor))

local granted, wait_ms, reason = 0, 0, ''
for i = 1, grantable do
  local permit, estimate = ARGV[before_batch + i], tonumber(ARGV[before_batch + batch_size + i])
  if in_flight + granted >= max_in_flight then
    wait_ms, reason = CONCURRENCY_WAIT_MS, 'concurrency'
    break
  end
  if rpm > 0 and requests < 1 then
    wait_ms, reason = math.ceil((1 - requests) / request_rate), 'requests'
    break
  end
  -- A request larger than half the bucket is granted when that half is full, and leaves a debt.
  if tpm > 0 and tokens < math.min(estimate, full) then
    wait_ms, reason = math.ceil((math.min(estimate, full) - tokens) / token_rate), 'tokens'
    break
  end
  if rpm > 0 then requests = requests - 1 end
  if tpm > 0 then tokens = tokens - estimate end
  redis.call('ZADD', permits, now + permit_ttl_ms, permit)
  granted = granted + 1
end

if in_outage and granted == 1 then
  redis.call('HSET', state, 'probe', ARGV[before_batch + 1], 'probe_at', now + PROBE_TTL_MS)
  if batch_size > 1 then wait_ms, reason = OUTAGE_WAIT_MS, 'outage' end
end

redis.call('HSET', state, 'factor', tostring(factor), 'factor_at', now)
if rpm > 0 then redis.call('HSET', state, 'requests', tostring(requests), 'requests_at', now) end
if tpm > 0 then redis.call('HSET', state, 'tokens', tostring(tokens), 'tokens_at', now) end
redis.call('PEXPIRE', state, STATE_TTL_MS)
redis.call('PEXPIRE', permits, STATE_TTL_MS)
return {granted, wait_ms, reason}
