import type { AppClaim } from '@svc/contract';
import { addressText, titleOf } from '@svc/web-app/names';
import { saveFile } from '@svc/web-app/save-file';
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
  if (navigator.canShare?.({ files: [file] }) === true) {
    await navigator.share({ files: [file] }).catch((error: unknown) => {
      if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
    });
    return;
  }
  saveFile(file, file.name);
}
