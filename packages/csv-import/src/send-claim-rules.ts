import { type CrossFieldRule, crossFieldRule, endpoints, type SendClaimBody } from '@svc/contract';
import { checkBuildingPair, checkPolicyTerm } from '@svc/domain';

/** Cross-field rules of the domain, checked with the fields so that one response lists all errors with pointers. */
export const sendClaimRules: readonly CrossFieldRule<SendClaimBody>[] = [
  crossFieldRule(
    endpoints.sendClaim,
    ['/building/occupancy_type', '/building/building_type'],
    (occupancy, buildingType) => {
      const detail = checkBuildingPair(occupancy, buildingType);
      return detail === null ? null : { detail, pointer: '/building/building_type' };
    },
  ),
  crossFieldRule(
    endpoints.sendClaim,
    ['/policy/effective_date', '/policy/expiration_date'],
    (effective, expiration) => {
      const detail = checkPolicyTerm(effective, expiration);
      return detail === null ? null : { detail, pointer: '/policy/expiration_date' };
    },
  ),
];
