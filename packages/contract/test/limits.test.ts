import { expect, test } from '@jest/globals';
import { EDGE_REQUESTS_PER_MINUTE, LIMITS, SESSION_REQUESTS_PER_MINUTE } from '../src/index.ts';

// What is frozen with /v1 is not among them: `frozen.test.ts`.
const NUMBERS = `
bodyBytes 1048576, openBodyBytes 4096, smallChunks 65536, openSmallChunks 1024, bodyDepth 64, bodyValues 2000,
messageBytes 393216, problemErrors 100, openProblemErrors 20, page 50/1/200/2097152, toolPage 10/1/50/262144,
importText 1/900000, importRows 2000, importWorkbookBytes 16777216, importValues 100000, importCheckedRows 500,
importSentRows 50, importProblems 1000, spreadClaims 250, spreadAdjusters 50, invitationBatch 500,
idempotencyWindowHours 24, invitationExpiryDays 7, invitationReminderHours 48, licenseWarningDays 14,
staffPerFirm 200, workingKeys 20, keyLifetimeDays 1/3650, keyOverlapHours 0/720, webhooksPerEnvironment 5,
webhookOverlapHours 24, auditVerificationDays 31, rejectionReason 1/1000, workNotes 1/4000, contactNote 1/500,
contactsPerClaim 200, awayPeriods 10, openOffers 1/1000, licenses 60, clockRules 100, clockHours 1/8760,
clockDays 1/365, deadlineHours 1/26280, clientSecret 32/128, passkeysPerAccount 10, attestationObject 1/20000,
slowFaultMs 3000, offerHistory 100, answersForMedian 20, boardCount 10000, reportDays 30/400, reportRows 1000,
session 6000, edge 600, importName 1/100, importFileName 1/255, importSheet 1/255, importRow 1/1000000, search 1/100,
importColumn 0/200, spreadGiven 0/100000, auditText 1/200, keyName 1/100, faultCount 1/100, licenseNumber 1/40, closureReason 1/1000`;

test('the limits that protect the service or that people are promised are these numbers', () => {
  const limits = { ...LIMITS, session: SESSION_REQUESTS_PER_MINUTE, edge: EDGE_REQUESTS_PER_MINUTE };
  const shown = Object.entries(limits).map(([name, one]) => [
    name,
    Object.values(Object(one)).join('/') || `${one}`,
  ]);
  const expected = NUMBERS.trim()
    .split(/,\s+/)
    .map((each) => each.split(' '));
  expect(Object.fromEntries(shown)).toMatchObject(Object.fromEntries(expected));
});
