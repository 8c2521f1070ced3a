/** What is in use, such as bytes or requests: by each client, and in all. */
interface Usage<Client> {
  total(): number;
  of(client: Client): number;
  /** @param amount negative to release. */
  add(client: Client, amount: number): void;
}

export function createUsage<Client>(): Usage<Client> {
  const byClient = new Map<Client, number>();
  let total = 0;
  const of = (client: Client): number => byClient.get(client) ?? 0;
  return {
    total: () => total,
    of,
    add(client, amount) {
      total += amount;
      const used = of(client) + amount;
      if (used === 0) byClient.delete(client);
      else byClient.set(client, used);
    },
  };
}

/** Counts by client, which start again each second. */
export function createCountsPerSecond(
  /** Milliseconds. */
  now: () => number,
): (client: string, count?: number) => number {
  const counts = new Map<string, number>();
  let second = 0;
  return (client, count = 1) => {
    const current = Math.floor(now() / 1000);
    if (current !== second) counts.clear();
    second = current;
    const total = (counts.get(client) ?? 0) + count;
    counts.set(client, total);
    return total;
  };
}
