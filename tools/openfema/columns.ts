// Column names in the three versions of the NFIP claims data set: FimaNfipClaims v1 and v2, and NfipClaims v3. Case and
// punctuation are ignored. Of several columns for one field, the first with a value is used.
const COLUMNS = {
  id: ['id'],
  state: ['state', 'propertyState'],
  zip: ['reportedZipCode'],
  city: ['reportedCity'],
  dateOfLoss: ['dateOfLoss'],
  floodZone: ['ratedFloodZone', 'floodZone'],
  occupancy: ['occupancyType'],
  buildingDescription: ['buildingDescriptionCode'],
  constructionDate: ['originalConstructionDate'],
  postFirm: ['postFIRMConstructionIndicator'],
  preFirm: ['preFirmIndicator'],
  communityNumber: ['nfipRatedCommunityNumber', 'nfipCommunityNumberCurrent'],
  numberOfUnits: ['numberOfUnits'],
  buildingLimit: ['totalBuildingInsuranceCoverage'],
  contentsLimit: ['totalContentsInsuranceCoverage'],
  iccLimit: ['iccCoverage'],
  buildingDeductible: ['buildingDeductibleCode'],
  contentsDeductible: ['contentsDeductibleCode'],
  buildingReplacementCost: ['buildingReplacementCost'],
  contentsReplacementCost: ['contentsReplacementCost'],
  buildingValue: ['buildingPropertyValue'],
  contentsValue: ['contentsPropertyValue'],
  settlementBasis: ['replacementCostBasis'],
  cause: ['causeOfDamage'],
  exteriorWaterDepth: ['exteriorWaterDepth'],
  interiorWaterDepth: ['interiorWaterDepth', 'waterDepth'],
  waterDuration: ['floodWaterDuration'],
  eventNumber: ['eventDesignationNumber'],
  eventName: ['floodEvent'],
  ficoNumber: ['ficoNumber'],
  firstPolicyDate: ['originalNBDate'],
} as const satisfies Record<string, readonly [string, ...string[]]>;

export type Field = keyof typeof COLUMNS;

/** Required, because no placeholder can replace them. */
const REQUIRED: readonly Field[] = ['id', 'state', 'zip', 'dateOfLoss'];

/** FEMA columns without a field in a claim, reported once per file. */
const WITHOUT_A_FIELD = [
  'agricultureStructureIndicator',
  'amountPaidOnBuildingClaim',
  'amountPaidOnContentsClaim',
  'amountPaidOnIncreasedCostOfComplianceClaim',
  'asOfDate',
  'baseFloodElevation',
  'basementEnclosureCrawlspace',
  'basementEnclosureCrawlspaceType',
  'buildingDamageAmount',
  'censusBlockGroupFips',
  'censusGeoid',
  'censusTract',
  'communityRatingSystemDiscount',
  'condominiumCoverageTypeCode',
  'condominiumIndicator',
  'contentsDamageAmount',
  'countyCode',
  'crsClassCode',
  'crsClassificationCode',
  'disasterAssistanceCoverageRequired',
  'elevatedBuildingIndicator',
  'elevationCertificateIndicator',
  'elevationDifference',
  'floodCharacteristicsIndicator',
  'floodproofedIndicator',
  'floodZoneCurrent',
  'foundationType',
  'houseWorship',
  'latitude',
  'locationOfContents',
  'longitude',
  'lowestAdjacentGrade',
  'lowestFloorElevation',
  'mostRecentPaymentDate',
  'mostRecentRecoveryDate',
  'netBuildingPaymentAmount',
  'netContentsPaymentAmount',
  'netIccPaymentAmount',
  'nfipCommunityName',
  'nonPaymentReasonBuilding',
  'nonPaymentReasonContents',
  'nonProfitIndicator',
  'numberOfFloors',
  'numberOfFloorsInTheInsuredBuilding',
  'obstructionType',
  'openDate',
  'policyCount',
  'primaryResidence',
  'primaryResidenceIndicator',
  'rateMethod',
  'rentalPropertyIndicator',
  'smallBusinessIndicatorBuilding',
  'stateOwnedIndicator',
  'totalBldgClaimPmtRecovery',
  'totalContentsClaimPmtRecovery',
  'totalIccClaimPmtRecovery',
  'totalSalvageRecovery',
  'totalSubrogationRecovery',
  'yearOfLoss',
];

const folded = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
const withoutField = new Set(WITHOUT_A_FIELD.map(folded));

/** A value and its column as named in the file. */
export interface Cell {
  readonly column: string;
  readonly value: string;
}

/** Reads a field of one row; null when there is no such column or no value. */
export type Row = (field: Field) => Cell | null;

export interface Header {
  readonly names: readonly string[];
  readonly row: (record: readonly string[]) => Row;
  /** FEMA columns without a field in a claim. */
  readonly withoutField: readonly string[];
  /** Unknown or repeated columns. */
  readonly unknown: readonly string[];
  /** Missing required columns, by FEMA's name. */
  readonly missing: readonly string[];
}

/** Spellings of an empty value. */
const NOTHING = new Set(['', 'null', 'na', 'n/a', 'nan', 'none']);

export function readHeader(names: readonly string[]): Header {
  const indexByName = new Map<string, number>();
  const unknown: string[] = [];
  for (const [index, name] of names.entries()) {
    if (indexByName.has(folded(name))) unknown.push(name);
    else indexByName.set(folded(name), index);
  }

  const read = new Set<number>();
  const indexesOf = {} as Record<Field, number[]>;
  for (const [field, spellings] of Object.entries(COLUMNS) as [Field, readonly string[]][]) {
    indexesOf[field] = spellings
      .map((name) => indexByName.get(folded(name)) ?? -1)
      .filter((index) => index >= 0);
    for (const index of indexesOf[field]) read.add(index);
  }
  const unread = [...indexByName].filter(([, index]) => !read.has(index));

  return {
    names,
    row: (record) => (field) => {
      for (const index of indexesOf[field]) {
        const value = record[index]?.trim() ?? '';
        if (!NOTHING.has(value.toLowerCase())) return { column: names[index] ?? '', value };
      }
      return null;
    },
    withoutField: unread.filter(([name]) => withoutField.has(name)).map(([, index]) => names[index] ?? ''),
    unknown: [
      ...unread.filter(([name]) => !withoutField.has(name)).map(([, index]) => names[index] ?? ''),
      ...unknown,
    ],
    missing: REQUIRED.filter((field) => indexesOf[field].length === 0).map((field) => COLUMNS[field][0]),
  };
}
