import { Button } from '@svc/web-app/components/ui';
import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../app.ts';
import type { PagedList } from '../state/paged-list.ts';

/** Reads more of a list when its end comes near the screen. */
export function LoadMore({
  list,
}: {
  readonly list: Pick<PagedList<unknown>, 'rows' | 'isReading' | 'hasMore' | 'failed' | 'more' | 'restart'>;
}) {
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
      {isReading && <p class="muted">{texts.value.searching}</p>}
      {failed && !isReading && list.rows.value === undefined && (
        <Button onClick={() => void list.restart()}>{texts.value.network.tryAgain}</Button>
      )}
      {hasMore && !isReading && <Button onClick={() => void list.more()}>{texts.value.more}</Button>}
    </div>
  );
}
