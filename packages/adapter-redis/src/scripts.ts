import { createHash } from 'node:crypto';

/** One of the functions in the script, with up to four arguments. */
export interface Operation {
  readonly name: 'consume' | 'peek' | 'hasUsed' | 'addUsed';
  readonly key: string;
  readonly args: readonly (string | number)[];
}

const MAX_ARGS = 4;

/**
 * Runs operations on one key each, independent of each other: one that fails replies with its error.
 *
 * A command that a slow Redis reads long after its callers have given up must do nothing: it would consume a second time.
 *
 * ARGV[1]: deadline by Redis' clock, 0 for none. ARGV[2]: the time by a test's clock, or empty. Then for each key the
 * name of its operation and four arguments.
 */
const lua = `
local operations = {}

-- GCRA over both buckets, all or nothing, stored as levels: a request costs 60,000, a rate of n per minute refills n per
-- millisecond. All values are integers, below 2^53 for limits up to a million.
local function levels(key, now, perMinute, capacity)
  local stored = redis.call('HMGET', key, 'at', 'requests', 'writes')
  local at = tonumber(stored[1]) or now
  -- A clock that was set back, as by a failover, refills nothing; storing its time lets the refill go on.
  local elapsed = math.max(0, now - at)
  local requests = math.max(0, math.min(tonumber(stored[2]) or 0, capacity) - elapsed * perMinute[1])
  local writes = math.max(0, math.min(tonumber(stored[3]) or 0, capacity) - elapsed * perMinute[2])
  return requests, writes, at
end

-- Whole requests and writes that are used and not refilled.
function operations.peek(key, now, requestsPerMinute, writesPerMinute, burst)
  local perMinute = { tonumber(requestsPerMinute), tonumber(writesPerMinute) }
  local requests, writes = levels(key, now, perMinute, burst * 60000)
  return { math.ceil(requests / 60000), math.ceil(writes / 60000) }
end

-- Returns the milliseconds to wait, 0 if allowed.
function operations.consume(key, now, requestsPerMinute, writesPerMinute, burst, count)
  local perMinute = { tonumber(requestsPerMinute), tonumber(writesPerMinute) }
  local capacity = burst * 60000
  local request = count ~= '2'
  local write = count ~= '0'

  local requests, writes, at = levels(key, now, perMinute, capacity)

  local wait = 0
  if request then
    wait = math.ceil((requests + 60000 - capacity) / perMinute[1])
  end
  if write then
    wait = math.max(wait, math.ceil((writes + 60000 - capacity) / perMinute[2]))
  end
  if wait > 0 then
    if at > now then
      redis.call('HSET', key, 'at', now, 'requests', requests, 'writes', writes)
    end
    return wait
  end

  if request then
    requests = requests + 60000
  end
  if write then
    writes = writes + 60000
  end
  redis.call('HSET', key, 'at', now, 'requests', requests, 'writes', writes)
  local fullAgain = math.ceil(math.max(requests / perMinute[1], writes / perMinute[2]))
  if ARGV[2] ~= '' then
    -- A test's clock may stand still while Redis' clock advances.
    fullAgain = fullAgain + 600000
  end
  redis.call('PEXPIRE', key, fullAgain)
  return 0
end

-- Whether an idempotency key was used.
function operations.hasUsed(key)
  return redis.call('EXISTS', key)
end

function operations.addUsed(key, _, windowMs)
  return redis.call('SET', key, '', 'PX', windowMs)
end

local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local deadline = tonumber(ARGV[1])
if deadline > 0 and now > deadline then
  return redis.error_reply(string.format('LATE %.0f', now))
end

local replies = {}
for i, key in ipairs(KEYS) do
  local at = 3 + ${1 + MAX_ARGS} * (i - 1)
  local done, reply = pcall(operations[ARGV[at]], key, now, unpack(ARGV, at + 1, at + ${MAX_ARGS}))
  -- Redis 6 raises errors as text.
  replies[i] = (done or type(reply) == 'table') and reply or redis.error_reply(tostring(reply))
end
return replies
`;

export const SCRIPT = { lua, sha: createHash('sha1').update(lua).digest('hex') } as const;

export const LATE = /^LATE (\d+)/;

/** What follows the script in EVAL and EVALSHA. */
export function scriptArguments(
  operations: readonly Operation[],
  { keyPrefix, deadline, testNow }: { keyPrefix: string; deadline: number; testNow?: number | undefined },
): [keys: number, ...rest: (string | number)[]] {
  const keys = operations.map(({ key }) => keyPrefix + key);
  const args: (string | number)[] = [];
  for (const { name, args: given } of operations) {
    args.push(name);
    for (let i = 0; i < MAX_ARGS; i += 1) args.push(given[i] ?? '');
  }
  return [keys.length, ...keys, deadline, testNow ?? '', ...args];
}
