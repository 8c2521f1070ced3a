import { createHash } from 'node:crypto';

export interface Script {
  readonly lua: string;
  readonly sha: string;
}

/**
 * Every script starts here. A command that a frozen or distant Redis reads long after its caller has given up must do
 * nothing, or it would spend a second time, or take a slot that nobody holds.
 * ARGV[1]: until when, by Redis' clock, it may still run; 0 for ever. ARGV[2]: a test's clock, or nothing.
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
 * GCRA over both buckets, all or nothing, kept as levels: a request weighs 60,000, a rate of n per minute gives back n
 * each millisecond. All values are integers; whatever is compared stays below 2^53 at limits up to a million.
 *
 * ARGV: …, requests per minute, writes per minute, burst, 1 for a write. Returns the milliseconds to wait, 0 when spent.
 */
export const CONSUME = script(`
local perMinute = { tonumber(ARGV[3]), tonumber(ARGV[4]) }
local brim = ARGV[5] * 60000
local write = ARGV[6] == '1'

local held = redis.call('HMGET', KEYS[1], 'at', 'requests', 'writes')
local at = tonumber(held[1]) or now
-- A clock set back, as by a failover, gives nothing back and stops no refill.
local elapsed = math.max(0, now - at)
local requests = math.max(0, math.min(tonumber(held[2]) or 0, brim) - elapsed * perMinute[1])
local writes = math.max(0, math.min(tonumber(held[3]) or 0, brim) - elapsed * perMinute[2])

local wait = math.ceil((requests + 60000 - brim) / perMinute[1])
if write then
  wait = math.max(wait, math.ceil((writes + 60000 - brim) / perMinute[2]))
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
  -- A test's clock may stand still while Redis' own goes on.
  fullAgain = fullAgain + 600000
end
redis.call('PEXPIRE', KEYS[1], fullAgain)
return 0
`);

/**
 * ARGV: …, what the slot holds while the attempt is under way, its lease in milliseconds.
 * Returns Redis' time when the slot was free and is now taken, and what it holds otherwise.
 */
export const TAKE_SLOT = script(`
local held = redis.call('GET', KEYS[1])
if held then
  return held
end
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
return now
`);

/** ARGV: …, what the slot must still hold, the new lease. */
export const RENEW_SLOT = script(`
if redis.call('GET', KEYS[1]) == ARGV[3] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
return 0
`);

/** ARGV: …, what the slot must still hold. */
export const RELEASE_SLOT = script(`
if redis.call('GET', KEYS[1]) == ARGV[3] then
  return redis.call('DEL', KEYS[1])
end
return 0
`);

/**
 * ARGV: …, what the slot holds from now on, until when by Redis' clock. Whatever it held: the outcome is committed, so
 * that an attempt which took over an expired lease can only find the same.
 */
export const BIND_SLOT = script(`
redis.call('SET', KEYS[1], ARGV[3])
return redis.call('PEXPIREAT', KEYS[1], ARGV[4])
`);
