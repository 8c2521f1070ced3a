import { expect, test } from '@jest/globals';
import { EDGE_REQUESTS_PER_MINUTE, LIMITS, SESSION_REQUESTS_PER_MINUTE } from '../src/index.ts';

const NUMBERS = `
bodyBytes 1048576, openBodyBytes 4096, smallChunks 65536, openSmallChunks 1024, bodyDepth 64, bodyValues 2000, messageBytes
393216, problemErrors 100, openProblemErrors 20, page 50/1/200/2097152, toolPage 10/1/50/262144, cursor 1/512, importText
1/900000, importRows 2000, importWorkbookBytes 16777216, importSheet 1/255, importValues 100000, importRow 1/1000000,
importColumn 0/200, spreadClaims 250, spreadAdjusters 50, stateCode 2/2, licenseWarningDays 14, spreadGiven 0/100000, importName
1/100, importFileName 1/255, importCheckedRows 500, importSentRows 50, importProblems 1000, idempotencyKey 1/255,
idempotencyWindowHours 24, invitationExpiryDays 7, invitationReminderHours 48, externalId 1/100, claimNumber 1/100, policyNumber
1/100, svcId 1/128, invitationBatch 500, fileNumber 1/100, instructions 1/4000, additionalContacts 20, personName 1/100,
fullName 1/200, staffPerFirm 200, workingKeys 20, keyName 1/100, keyId 1/100, keyLifetimeDays 1/3650, keyOverlapHours 0/720,
errorCode 1/100, routePath 1/200, auditText 1/200, auditVerificationDays 31, webhooksPerEnvironment 5, webhookUrl 1/2000,
webhookOverlapHours 24, uuid 36/36, companyName 1/255, phone 1/40, carrierPhone 1/20, email 3/255, street 1/255, city 1/100,
county 1/100, contactRole 1/100, agencyNumber 1/50, loanNumber 1/50, lossDescription 1/4000, catastropheCode 1/20, ficoNumber
1/20, waterDepthInches 0/1200, waterDurationHours 0/8760, communityNumber 1/20, mapPanelNumber 1/20, numberOfUnits 1/100000,
firstFloorHeightFeet 0/1000, firstFloorHeightInches 0/11, floodOpeningCount 0/100000, amount 0/9999999999.99/2, rate 0/1,
priceList 1/50, invitedAs 1/200, invitedBy 1/200, purpose 1/500, note 1/1000, rejectionReason 1/1000, closureReason 1/1000,
workNotes 1/4000, workVersion 1/64, contactId 1/64, contactNote 1/500, contactsPerClaim 200, faultCount 1/100, slowFaultMs 3000,
awayPeriods 10, licenses 60, licenseNumber 1/40, credentialsVersion 1/64, openOffers 1/1000, timeZone 1/64, clockRules 100,
clockHours 1/8760, clockDays 1/365, clocksVersion 1/64, deadlineHours 1/26280, deadlineSource 1/300, deviceId 1/128, deviceName
1/100, signInSecret 1/255, clientSecret 32/128, signInTicket 1/128, passkeysPerAccount 10, passkeyName 1/100, credentialId
1/1400, clientData 1/2000, attestationObject 1/20000, authenticatorData 1/1400, passkeySignature 1/1400, passkeyTransports 10,
passkeyTransport 1/50, pushEndpoint 1/2048, pushKey 1/255, search 1/100, offerHistory 100, boardCount 10000, answersForMedian
20, reportDays 30/400, reportRows 1000, session 6000, edge 600`;

test('the limits that protect the service or that people are promised are these numbers', () => {
  const limits = { ...LIMITS, session: SESSION_REQUESTS_PER_MINUTE, edge: EDGE_REQUESTS_PER_MINUTE };
  const shown = Object.entries(limits).map(([name, one]) => [
    name,
    Object.values(Object(one)).join('/') || `${one}`,
  ]);
  const expected = NUMBERS.trim()
    .split(/,\s+/)
    .map((each) => each.split(/\s/));
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(expected));
});
