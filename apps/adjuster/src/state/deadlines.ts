import { signal } from '@preact/signals';
import { DEFAULT_DEADLINES, type DeadlineRule } from '../model/deadlines.ts';

/** The deadlines as this service's operator has set them. */
export const deadlineRules = signal<readonly DeadlineRule[]>(DEFAULT_DEADLINES);
