import { z } from 'zod';
import { integerParameter, responseField, text } from './fields.ts';
import { LIMITS } from './limits.ts';
import { formatSize } from './problems.ts';
import { responseObject } from './response-schema.ts';

/** A page of a list. `next_cursor` is the cursor of the next page, null on the last page. */
export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

export const pageOf = <Item extends z.ZodType>(id: string, item: Item) =>
  responseObject({
    data: z.array(item).meta({ description: 'The items of this page, in order.', example: [] }),
    next_cursor: responseField
      .text('Send it as cursor to get the next page; null on the last page.', 'eyJ2IjoxfQ.c2lnbmVk')
      .nullable(),
  }).meta({ id, description: 'A page of a list.' });

/** A page of a list that can also be read by difference. */
export const changesOf = <Item extends z.ZodType>(id: string, item: Item) =>
  responseObject({
    ...pageOf(id, item).shape,
    ids: z
      .array(z.string().meta({ format: 'uuid' }))
      .meta({
        description:
          'Only on the first page of a request with updated_since: the ids of all items that are in the list now, in its order.',
        example: [],
      })
      .optional(),
  }).meta({ id, description: 'A page of a list.' });

/** The query parameters of every list. */
export const pageParameters = (page: typeof LIMITS.page | typeof LIMITS.toolPage = LIMITS.page) => ({
  limit: integerParameter(page, {
    description: `Items per page; ${page.default} by default. A page also ends at about ${formatSize(page.bytes)}.`,
    example: page.max / 2,
  }).default(page.default),
  cursor: text(LIMITS.cursor, {
    description: 'The next_cursor of the previous page, with the same filters.',
    example: 'eyJ2IjoxfQ.c2lnbmVk',
  }).optional(),
});
