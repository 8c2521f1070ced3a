import type { AppClaim } from '@svc/contract';
import { addressText, titleOf } from '@svc/web-app/names';
import { shareFile } from '@svc/web-app/share-file';
import { allTexts } from '../all-texts.ts';
import { calendarFile } from '../model/calendar-file.ts';

const VISIT_MINUTES = 60;

/** Hands the planned visit to the phone's calendar: by its share sheet, or as a file. */
export async function shareVisit(claim: AppClaim, date: string, time: string): Promise<void> {
  const { work, record } = allTexts.value;
  const content = calendarFile(
    {
      id: claim.id,
      start: `${date}T${time}`,
      minutes: VISIT_MINUTES,
      title: work.visitTitle(titleOf(claim)),
      place: addressText(claim.loss_location),
      description: `${record.fields.number}: ${claim.claim_number}\n${claim.policyholder.phone ?? ''}`.trim(),
    },
    Date.now(),
  );
  const file = new File([content], 'visit.ics', { type: 'text/calendar' });
  await shareFile(file);
}
