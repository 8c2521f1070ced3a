import { createHash } from 'node:crypto';

export interface Script {
  readonly lua: string;
  readonly sha: string;
}

/**
 * Common start of all scripts. A command that a slow Redis reads long after its caller has given up must do nothing: it
 * would consume a second time, or take a slot that nobody releases.
 * ARGV[1]: deadline by Redis' clock, 0 for none. ARGV[2]: the time by a test's clock, or empty.
 */
const PRELUDE = `
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local deadline = tonumber(ARGV[1])
if deadline > 0 and now > deadline then
  return redis.error_reply(string.format('LATE %.0f', now))
end
`;

function script(body: string): Script {
  const lua = `${PRELUDE}${body}`;
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}

export const LATE = /^LATE (\d+)/;

/**
 * GCRA over both buckets, all or nothing, stored as levels: a request costs 60,000, a rate of n per minute refills n per
 * millisecond. All values are integers, below 2^53 for limits up to a million.
 *
 * ARGV: …, requests per minute, writes per minute, burst, 1 for a write. Returns the milliseconds to wait, 0 if allowed.
 */
export const CONSUME = script(`
local perMinute = { tonumber(ARGV[3]), tonumber(ARGV[4]) }
local capacity = ARGV[5] * 60000
local write = ARGV[6] == '1'

local stored = redis.call('HMGET', KEYS[1], 'at', 'requests', 'writes')
local at = tonumber(stored[1]) or now
-- A clock that was set back, as by a failover, refills nothing; storing its time lets the refill go on.
local elapsed = math.max(0, now - at)
local requests = math.max(0, math.min(tonumber(stored[2]) or 0, capacity) - elapsed * perMinute[1])
local writes = math.max(0, math.min(tonumber(stored[3]) or 0, capacity) - elapsed * perMinute[2])

local wait = math.ceil((requests + 60000 - capacity) / perMinute[1])
if write then
  wait = math.max(wait, math.ceil((writes + 60000 - capacity) / perMinute[2]))
end
if wait > 0 then
  if at > now then
    redis.call('HSET', KEYS[1], 'at', now, 'requests', requests, 'writes', writes)
  end
  return wait
end

requests = requests + 60000
if write then
  writes = writes + 60000
end
redis.call('HSET', KEYS[1], 'at', now, 'requests', requests, 'writes', writes)
local fullAgain = math.ceil(math.max(requests / perMinute[1], writes / perMinute[2]))
if ARGV[2] and ARGV[2] ~= '' then
  -- A test's clock may stand still while Redis' clock advances.
  fullAgain = fullAgain + 600000
end
redis.call('PEXPIRE', KEYS[1], fullAgain)
return 0
`);

/**
 * ARGV: …, the slot's value while the attempt is in progress, its lease in milliseconds.
 * Returns Redis' time when the slot was free and is now taken, otherwise its value.
 */
export const TAKE_SLOT = script(`
local stored = redis.call('GET', KEYS[1])
if stored then
  return stored
end
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
return now
`);

/** ARGV: …, the expected value of the slot, the new lease. */
export const RENEW_SLOT = script(`
if redis.call('GET', KEYS[1]) == ARGV[3] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
return 0
`);

/** ARGV: …, the expected value of the slot. */
export const RELEASE_SLOT = script(`
if redis.call('GET', KEYS[1]) == ARGV[3] then
  return redis.call('DEL', KEYS[1])
end
return 0
`);

/**
 * ARGV: …, the slot's new value, its expiry by Redis' clock. Overwrites any value: the outcome is committed, so an attempt
 * that took over an expired lease finds the same outcome.
 */
export const BIND_SLOT = script(`
redis.call('SET', KEYS[1], ARGV[3])
return redis.call('PEXPIREAT', KEYS[1], ARGV[4])
`);
