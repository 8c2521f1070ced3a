interface Appointment {
  readonly id: string;
  /** Local date and time without a zone, such as `2026-09-02T10:00`: the clock at the property and of the adjuster. */
  readonly start: string;
  readonly minutes: number;
  readonly title: string;
  readonly place: string;
  readonly description: string;
}

/** RFC 5545 section 3.3.11. */
const escaped = (text: string): string => text.replace(/([\\;,])/g, '\\$1').replace(/\r\n|\r|\n/g, '\\n');

const MAX_LINE_BYTES = 75;

/** RFC 5545 section 3.1: a line has at most 75 bytes, and a continuation starts with a space. */
function folded(line: string): string {
  const encoder = new TextEncoder();
  const lines = [''];
  let bytes = 0;
  for (const character of line) {
    const size = encoder.encode(character).length;
    if (bytes + size > MAX_LINE_BYTES) {
      lines.push(' ');
      bytes = 1;
    }
    lines[lines.length - 1] += character;
    bytes += size;
  }
  return lines.join('\r\n');
}

const basic = (local: string): string => `${local.replace(/[-:]/g, '').slice(0, 13)}00`;
const utc = (instant: number): string =>
  `${new Date(instant).toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`;

/** An iCalendar file with one appointment in floating local time. */
export function calendarFile(appointment: Appointment, now: number): string {
  const { id, start, minutes, title, place, description } = appointment;
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Claim assignments//Adjuster app//EN',
    'METHOD:PUBLISH',
    'BEGIN:VEVENT',
    `UID:${id}@claim-assignments`,
    `DTSTAMP:${utc(now)}`,
    `DTSTART:${basic(start)}`,
    `DURATION:PT${minutes}M`,
    `SUMMARY:${escaped(title)}`,
    `LOCATION:${escaped(place)}`,
    `DESCRIPTION:${escaped(description)}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return `${lines.map(folded).join('\r\n')}\r\n`;
}
