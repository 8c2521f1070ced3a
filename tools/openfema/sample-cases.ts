// For tests: the rows of sample.csv with the expected claim, normalizations and losses of each.
import type { SendClaimBody } from '@svc/contract';

type Expected =
  | {
      readonly loss: SendClaimBody['loss'];
      readonly place: { readonly state: string; readonly zip: string };
      readonly building: NonNullable<SendClaimBody['building']>;
      readonly coverages: NonNullable<SendClaimBody['coverages']>;
      readonly holder: 'person' | 'company';
      readonly notes: readonly string[];
    }
  | { readonly skipped: readonly string[] };

interface SampleCase {
  readonly line: string;
  readonly expected: Expected;
}

export const SAMPLE_HEADER =
  'id,state,reportedZipCode,dateOfLoss,ratedFloodZone,occupancyType,originalConstructionDate,postFIRMConstructionIndicator,numberOfFloors,buildingDescriptionCode,nfipRatedCommunityNumber,totalBuildingInsuranceCoverage,totalContentsInsuranceCoverage,causeOfDamage,waterDepth,floodEvent';

const rain = 'rainfall_snowmelt_accumulation';

export const SAMPLE_CASES: readonly SampleCase[] = [
  {
    line: '148f0646-7c32-4e3b-ab5b-9f17b8c71546,NJ,8260,2012-10-29,AE,1,1965-01-01,0,2,1,345308,150000,10000,4,0,Hurricane Sandy',
    expected: {
      loss: {
        date: '2012-10-29',
        peril: 'flood',
        cause: rain,
        cat_code: 'Hurricane Sandy',
        interior_water_depth_inches: 0,
        description: 'Flood event: Hurricane Sandy.',
      },
      place: { state: 'NJ', zip: '08260' },
      building: {
        occupancy_type: 'single_family_home',
        building_type: 'main_dwelling',
        firm_status: 'pre_firm',
        construction_date: '1965-01-01',
        flood_zone: 'AE',
        community_number: '345308',
      },
      coverages: { building_limit: 150000, contents_limit: 10000 },
      holder: 'person',
      notes: ['normalized reportedZipCode 8260'],
    },
  },
  {
    line: '716a1df1-4c18-42f4-b9a6-0008e523318c,NJ,8203,2012-10-29,A08,1,1955-07-01,0,2,1,345286,250000,5600,1,2,Hurricane Sandy',
    expected: {
      loss: {
        date: '2012-10-29',
        peril: 'flood',
        cause: 'tidal_water_overflow',
        cat_code: 'Hurricane Sandy',
        interior_water_depth_inches: 2,
        description: 'Flood event: Hurricane Sandy.',
      },
      place: { state: 'NJ', zip: '08203' },
      building: {
        occupancy_type: 'single_family_home',
        building_type: 'main_dwelling',
        firm_status: 'pre_firm',
        construction_date: '1955-07-01',
        flood_zone: 'A8',
        community_number: '345286',
      },
      coverages: { building_limit: 250000, contents_limit: 5600 },
      holder: 'person',
      notes: ['normalized reportedZipCode 8203', 'normalized ratedFloodZone A08'],
    },
  },
  {
    line: '8d9d4d3c-70ff-4158-a650-f05e83d81172,CA,93422,2023-01-10,AE,11,2004-04-01,1,2,1,60304,250000,100000,4,0,California Atmospheric River',
    expected: {
      loss: {
        date: '2023-01-10',
        peril: 'flood',
        cause: rain,
        interior_water_depth_inches: 0,
        description: 'Flood event: California Atmospheric River.',
      },
      place: { state: 'CA', zip: '93422' },
      building: {
        occupancy_type: 'single_family_home',
        building_type: 'main_dwelling',
        firm_status: 'post_firm',
        construction_date: '2004-04-01',
        flood_zone: 'AE',
        community_number: '060304',
      },
      coverages: { building_limit: 250000, contents_limit: 100000 },
      holder: 'person',
      notes: [
        'left_out floodEvent California Atmospheric River',
        'normalized nfipRatedCommunityNumber 60304',
      ],
    },
  },
  {
    line: '5e01b518-7cdd-445b-8652-49246b33732b,VA,24014,1983-04-09,A,1,1492-10-12,1,2,,510190,11000,0,4,-6,',
    expected: {
      loss: { date: '1983-04-09', peril: 'flood', cause: rain },
      place: { state: 'VA', zip: '24014' },
      building: {
        occupancy_type: 'single_family_home',
        firm_status: 'post_firm',
        flood_zone: 'A',
        community_number: '510190',
      },
      coverages: { building_limit: 11000, contents_limit: 0 },
      holder: 'person',
      notes: ['left_out waterDepth -6', 'left_out originalConstructionDate 1492-10-12'],
    },
  },
  {
    line: '3e7abf2e-6836-41e1-8d71-a641aee4c45e,MO,63301,1986-10-01,AE,4,1983-05-01,1,1,,290315,13300,3600,2,0,Flooding',
    expected: {
      loss: {
        date: '1986-10-01',
        peril: 'flood',
        cause: 'stream_river_lake_overflow',
        cat_code: 'Flooding',
        interior_water_depth_inches: 0,
        description: 'Flood event: Flooding.',
      },
      place: { state: 'MO', zip: '63301' },
      building: {
        occupancy_type: 'non_residential_building',
        firm_status: 'post_firm',
        construction_date: '1983-05-01',
        flood_zone: 'AE',
        community_number: '290315',
      },
      coverages: { building_limit: 13300, contents_limit: 3600 },
      holder: 'company',
      notes: [],
    },
  },
  {
    line: '366a40bb-3603-455d-ba4c-d0864983762a,AK,99664,1995-09-21,A04,1,1985-07-01,1,2,,,64100,0,,,',
    expected: {
      loss: { date: '1995-09-21', peril: 'flood' },
      place: { state: 'AK', zip: '99664' },
      building: {
        occupancy_type: 'single_family_home',
        firm_status: 'post_firm',
        construction_date: '1985-07-01',
        flood_zone: 'A4',
      },
      coverages: { building_limit: 64100, contents_limit: 0 },
      holder: 'person',
      notes: ['normalized ratedFloodZone A04'],
    },
  },
  {
    line: '5cebeeec-9532-4af2-b8e2-46c91f60c092,AK,99688,2012-09-19,AE,1,1978-01-01,0,1,,,124400,72000,,,',
    expected: {
      loss: { date: '2012-09-19', peril: 'flood' },
      place: { state: 'AK', zip: '99688' },
      building: {
        occupancy_type: 'single_family_home',
        firm_status: 'pre_firm',
        construction_date: '1978-01-01',
        flood_zone: 'AE',
      },
      coverages: { building_limit: 124400, contents_limit: 72000 },
      holder: 'person',
      notes: [],
    },
  },
  {
    line: 'fcddef87-6cbb-4d02-9f18-cab8ef1e391a,AK,99801,2022-01-21,A,1,2010-10-15,1,2,,,250000,81500,,,',
    expected: {
      loss: { date: '2022-01-21', peril: 'flood' },
      place: { state: 'AK', zip: '99801' },
      building: {
        occupancy_type: 'single_family_home',
        firm_status: 'post_firm',
        construction_date: '2010-10-15',
        flood_zone: 'A',
      },
      coverages: { building_limit: 250000, contents_limit: 81500 },
      holder: 'person',
      notes: [],
    },
  },
  {
    line: '35365ee8-2baa-482b-8104-ea02df740c16,AK,99518,2013-09-04,X,18,1970-01-01,0,1,,,300000,50000,,,',
    expected: {
      loss: { date: '2013-09-04', peril: 'flood' },
      place: { state: 'AK', zip: '99518' },
      building: {
        occupancy_type: 'non_residential_building',
        firm_status: 'pre_firm',
        construction_date: '1970-01-01',
        flood_zone: 'X',
      },
      coverages: { building_limit: 300000, contents_limit: 50000 },
      holder: 'company',
      notes: [],
    },
  },
  {
    line: '55e9e66c-1248-4776-b77d-be81c0137e98,AL,36561,2020-09-16,AE,11,1995-09-01,1,2,,,250000,0,,,',
    expected: {
      loss: { date: '2020-09-16', peril: 'flood' },
      place: { state: 'AL', zip: '36561' },
      building: {
        occupancy_type: 'single_family_home',
        firm_status: 'post_firm',
        construction_date: '1995-09-01',
        flood_zone: 'AE',
      },
      coverages: { building_limit: 250000, contents_limit: 0 },
      holder: 'person',
      notes: [],
    },
  },
  {
    line: 'c565f2c3-a84e-4487-8464-05c08fe072f2,AL,36561,2020-09-18,AE,15,2006-04-20,1,3,,,12500000,100000,,,',
    expected: {
      loss: { date: '2020-09-18', peril: 'flood' },
      place: { state: 'AL', zip: '36561' },
      building: {
        occupancy_type: 'residential_condominium_building',
        firm_status: 'post_firm',
        construction_date: '2006-04-20',
        flood_zone: 'AE',
      },
      coverages: { building_limit: 12500000, contents_limit: 100000 },
      holder: 'person',
      notes: [],
    },
  },
  {
    line: '0265aa5c-08d3-4006-b6e0-92b90ef7df85,AR,72118,2017-04-30,AE,1,1954-06-01,0,2,,,77000,0,,,',
    expected: {
      loss: { date: '2017-04-30', peril: 'flood' },
      place: { state: 'AR', zip: '72118' },
      building: {
        occupancy_type: 'single_family_home',
        firm_status: 'pre_firm',
        construction_date: '1954-06-01',
        flood_zone: 'AE',
      },
      coverages: { building_limit: 77000, contents_limit: 0 },
      holder: 'person',
      notes: [],
    },
  },
  {
    line: '30b553cb-bcea-4019-bd4f-507c4a46c656,AR,,1985-09-26,V,1,1967-07-01,0,1,,,46900,0,,,',
    expected: { skipped: ['reportedZipCode'] },
  },
  {
    line: 'f9d8bed0-6bae-4502-8cca-cf4b4010ef59,AS,96799,2011-01-25,,1,1992-10-12,0,,,,31900,0,,,',
    expected: {
      loss: { date: '2011-01-25', peril: 'flood' },
      place: { state: 'AS', zip: '96799' },
      building: {
        occupancy_type: 'single_family_home',
        firm_status: 'pre_firm',
        construction_date: '1992-10-12',
      },
      coverages: { building_limit: 31900, contents_limit: 0 },
      holder: 'person',
      notes: [],
    },
  },
  {
    line: 'c5de6b40-5069-4165-b909-c40af5bdfda5,AS,96799,2018-12-10,VE,1,1981-01-01,0,1,,,19500,5500,,,',
    expected: {
      loss: { date: '2018-12-10', peril: 'flood' },
      place: { state: 'AS', zip: '96799' },
      building: {
        occupancy_type: 'single_family_home',
        firm_status: 'pre_firm',
        construction_date: '1981-01-01',
        flood_zone: 'VE',
      },
      coverages: { building_limit: 19500, contents_limit: 5500 },
      holder: 'person',
      notes: [],
    },
  },
  {
    line: '3559e3e9-3559-454b-b82e-9a1447ba7ae4,AS,96799,2018-07-13,AE,6,1990-01-01,0,1,,,2900,9000,,,',
    expected: {
      loss: { date: '2018-07-13', peril: 'flood' },
      place: { state: 'AS', zip: '96799' },
      building: {
        occupancy_type: 'non_residential_building',
        firm_status: 'pre_firm',
        construction_date: '1990-01-01',
        flood_zone: 'AE',
      },
      coverages: { building_limit: 2900, contents_limit: 9000 },
      holder: 'company',
      notes: [],
    },
  },
  {
    line: 'b7d12c14-4a02-4b36-9a21-275f9be63450,AZ,85203,2005-08-09,AH,1,1976-01-01,0,1,,,192000,0,,,',
    expected: {
      loss: { date: '2005-08-09', peril: 'flood' },
      place: { state: 'AZ', zip: '85203' },
      building: {
        occupancy_type: 'single_family_home',
        firm_status: 'pre_firm',
        construction_date: '1976-01-01',
        flood_zone: 'AH',
      },
      coverages: { building_limit: 192000, contents_limit: 0 },
      holder: 'person',
      notes: [],
    },
  },
  {
    line: '6e474740-5148-48ec-ad07-f3b9da738e64,AZ,85735,2010-08-24,AO,11,1971-01-01,0,1,,,250000,52500,,,',
    expected: {
      loss: { date: '2010-08-24', peril: 'flood' },
      place: { state: 'AZ', zip: '85735' },
      building: {
        occupancy_type: 'single_family_home',
        firm_status: 'pre_firm',
        construction_date: '1971-01-01',
        flood_zone: 'AO',
      },
      coverages: { building_limit: 250000, contents_limit: 52500 },
      holder: 'person',
      notes: [],
    },
  },
];
