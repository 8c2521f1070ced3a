import type { OwnSession } from '@svc/contract';
import { useEffect, useState } from 'preact/hooks';
import type { moreEn } from '../texts/en-more.ts';
import { Button } from './ui.tsx';

/** Where the account is signed in, with a button for each session that ends it. */
export function SessionList(props: {
  readonly words: typeof moreEn.sessions;
  readonly dateTime: (instant: string) => string;
  readonly list: () => Promise<{ readonly data: readonly OwnSession[] }>;
  /** Says how it went. */
  readonly end: (session_id: string) => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}) {
  const { words } = props;
  const [sessions, setSessions] = useState<readonly OwnSession[]>([]);
  const read = () => props.list().then(({ data }) => setSessions(data), props.onError);
  useEffect(() => void read(), []);
  const end = async (id: string): Promise<void> => {
    await props.end(id);
    await read();
  };
  return (
    <section class="card">
      <h2>{words.title}</h2>
      <ul class="list">
        {sessions.map(({ id, device_name, current, last_used_at }) => {
          const name = words.names[device_name ?? ''] ?? device_name ?? words.unnamed;
          const time = props.dateTime(last_used_at);
          return (
            <li key={id} class="row spread">
              <span>
                <span class="strong">{name}</span>
                <span class="line muted">{current ? words.current : words.used(time)}</span>
              </span>
              {!current && (
                <Button aria-label={words.endNamed(name, time)} onClick={() => void end(id)}>
                  {words.end}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
