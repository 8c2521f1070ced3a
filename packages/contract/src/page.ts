import { z } from 'zod';
import { integerParameter, shown, text } from './fields.ts';
import { LIMITS } from './limits.ts';
import { responseObject } from './response-schema.ts';

/** A page of a list. `next_cursor` leads to the next one and is null on the last. */
export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

export const pageOf = <Item extends z.ZodType>(id: string, item: Item, example: readonly unknown[]) =>
  responseObject({
    data: z.array(item).meta({ description: 'The items of this page, in order.', example }),
    next_cursor: shown
      .text('Send it as cursor for the next page; null on the last page.', 'eyJ2IjoxfQ.c2lnbmVk')
      .nullable(),
  }).meta({ id, description: 'A page of a list.' });

/** The query parameters that every list takes. */
export const pageParameters = () => ({
  limit: integerParameter(LIMITS.page, {
    description: `Items on a page; ${LIMITS.page.default} when left out.`,
    example: 100,
  }).default(LIMITS.page.default),
  cursor: text(LIMITS.cursor, {
    description: 'The next_cursor of the page before, sent with the same filters as that page.',
    example: 'eyJ2IjoxfQ.c2lnbmVk',
  }).optional(),
});
