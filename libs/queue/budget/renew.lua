-- Renews permits in flight. ZADD without XX, so that renewals rebuild the set of permits after a flush.
--
-- KEYS  permits in flight (sorted set: permit -> expiry)
-- ARGV  permit_ttl_ms, then the permits

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], now + tonumber(ARGV[1]), ARGV[i]) end
return 1
