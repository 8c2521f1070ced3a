import { texts } from '../state/language.ts';
import { Note } from './ui.tsx';

/** Beside settings that are still on the device. */
export const NotSentYet = () => (
  <Note kind="warning" icon="cloud">
    <p role="status">
      <strong>{texts.value.offers.queued}.</strong> {texts.value.work.savedOffline}
    </p>
  </Note>
);
