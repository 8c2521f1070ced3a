import { useEffect, useRef } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import type { PagedList } from '../paged-list.ts';
import { Button } from './ui.tsx';

/** Reads more of a list when its end comes near the screen. */
export function LoadMore({
  list,
}: {
  readonly list: Pick<PagedList<unknown>, 'rows' | 'isReading' | 'hasMore' | 'failed' | 'more' | 'restart'>;
}) {
  const words = useApp().texts.value;
  const end = useRef<HTMLDivElement>(null);
  const isReading = list.isReading.value;
  const hasMore = list.hasMore.value;
  const failed = list.failed.value;
  useEffect(() => {
    if (end.current === null || isReading || failed) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void list.more();
      },
      { rootMargin: '1200px' },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [isReading, hasMore, failed]);
  return (
    <div ref={end} class="load-more">
      {isReading && <p class="muted">{words.searching}</p>}
      {failed && !isReading && list.rows.value === undefined && (
        <Button onClick={() => void list.restart()}>{words.network.tryAgain}</Button>
      )}
      {hasMore && !isReading && <Button onClick={() => void list.more()}>{words.more}</Button>}
    </div>
  );
}
