import { listed } from './people.ts';

/** Towns on the water: name, county, state, ZIP code, telephone area. */
export interface Place {
  readonly city: string;
  readonly county: string;
  readonly state: string;
  readonly zip: string;
  readonly area: string;
}

const placed = (text: string): readonly Place[] =>
  listed(text).map((place) => {
    const [city = '', county = '', state = '', zip = '', area = ''] = place.split(', ');
    return { city, county, state, zip, area };
  });

export const PLACES = placed(`
  Gulf Shores, Baldwin, AL, 36542, 251; Orange Beach, Baldwin, AL, 36561, 251;
  Dauphin Island, Mobile, AL, 36528, 251; Seward, Kenai Peninsula, AK, 99664, 907;
  Juneau, Juneau, AK, 99801, 907; Pago Pago, Eastern, AS, 96799, 684; Capitola, Santa Cruz, CA, 95010, 831;
  Imperial Beach, San Diego, CA, 91932, 619; Newport Beach, Orange, CA, 92663, 949;
  Oxnard, Ventura, CA, 93035, 805; Milford, New Haven, CT, 06460, 203; Fairfield, Fairfield, CT, 06824, 203;
  Old Saybrook, Middlesex, CT, 06475, 860; Rehoboth Beach, Sussex, DE, 19971, 302;
  Bethany Beach, Sussex, DE, 19930, 302; Apalachicola, Franklin, FL, 32320, 850;
  Cape Coral, Lee, FL, 33904, 239; Cedar Key, Levy, FL, 32625, 352; Daytona Beach, Volusia, FL, 32118, 386;
  Fort Myers Beach, Lee, FL, 33931, 239; Key West, Monroe, FL, 33040, 305; Marathon, Monroe, FL, 33050, 305;
  Mexico Beach, Bay, FL, 32456, 850; Miami Beach, Miami-Dade, FL, 33139, 305;
  Naples, Collier, FL, 34102, 239; Pensacola Beach, Escambia, FL, 32561, 850;
  Punta Gorda, Charlotte, FL, 33950, 941; Sanibel, Lee, FL, 33957, 239;
  St. Augustine, St. Johns, FL, 32084, 904; St. Pete Beach, Pinellas, FL, 33706, 727;
  Steinhatchee, Taylor, FL, 32359, 352; Brunswick, Glynn, GA, 31520, 912;
  St. Simons Island, Glynn, GA, 31522, 912; Tybee Island, Chatham, GA, 31328, 912;
  Hagåtña, Guam, GU, 96910, 671; Inarajan, Guam, GU, 96915, 671; Haleiwa, Honolulu, HI, 96712, 808;
  Hilo, Hawaiʻi, HI, 96720, 808; Lahaina, Maui, HI, 96761, 808; Cameron, Cameron, LA, 70631, 337;
  Grand Isle, Jefferson, LA, 70358, 985; Houma, Terrebonne, LA, 70360, 985;
  Lake Charles, Calcasieu, LA, 70601, 337; Metairie, Jefferson, LA, 70001, 504;
  New Orleans, Orleans, LA, 70117, 504; Slidell, St. Tammany, LA, 70458, 985;
  Old Orchard Beach, York, ME, 04064, 207; Wells, York, ME, 04090, 207;
  Annapolis, Anne Arundel, MD, 21401, 410; Crisfield, Somerset, MD, 21817, 410;
  Ocean City, Worcester, MD, 21842, 410; Hull, Plymouth, MA, 02045, 781;
  Nantucket, Nantucket, MA, 02554, 508; Revere, Suffolk, MA, 02151, 781; Scituate, Plymouth, MA, 02066, 781;
  Saipan, Saipan, MP, 96950, 670; Bay St. Louis, Hancock, MS, 39520, 228; Biloxi, Harrison, MS, 39530, 228;
  Pascagoula, Jackson, MS, 39567, 228; Hampton, Rockingham, NH, 03842, 603;
  Atlantic City, Atlantic, NJ, 08401, 609; Brigantine, Atlantic, NJ, 08203, 609;
  Hoboken, Hudson, NJ, 07030, 201; Long Beach Island, Ocean, NJ, 08008, 609;
  Toms River, Ocean, NJ, 08753, 732; Wildwood, Cape May, NJ, 08260, 609; Brooklyn, Kings, NY, 11235, 718;
  Far Rockaway, Queens, NY, 11691, 718; Freeport, Nassau, NY, 11520, 516;
  Lindenhurst, Suffolk, NY, 11757, 631; Long Beach, Nassau, NY, 11561, 516;
  Staten Island, Richmond, NY, 10306, 718; Beaufort, Carteret, NC, 28516, 252;
  Carolina Beach, New Hanover, NC, 28428, 910; Hatteras, Dare, NC, 27943, 252;
  New Bern, Craven, NC, 28560, 252; Topsail Beach, Pender, NC, 28445, 910;
  Cannon Beach, Clatsop, OR, 97110, 503; Tillamook, Tillamook, OR, 97141, 503;
  Añasco, Añasco, PR, 00610, 787; Cataño, Cataño, PR, 00962, 787; Humacao, Humacao, PR, 00791, 787;
  Loíza, Loíza, PR, 00772, 787; Mayagüez, Mayagüez, PR, 00680, 787; Ponce, Ponce, PR, 00716, 787;
  San Juan, San Juan, PR, 00907, 787; Toa Baja, Toa Baja, PR, 00949, 787;
  Narragansett, Washington, RI, 02882, 401; Westerly, Washington, RI, 02891, 401;
  Charleston, Charleston, SC, 29401, 843; Edisto Beach, Colleton, SC, 29438, 843;
  Folly Beach, Charleston, SC, 29439, 843; Hilton Head Island, Beaufort, SC, 29928, 843;
  North Myrtle Beach, Horry, SC, 29582, 843; Corpus Christi, Nueces, TX, 78418, 361;
  Galveston, Galveston, TX, 77550, 409; Kemah, Galveston, TX, 77565, 281;
  Port Aransas, Nueces, TX, 78373, 361; Port Arthur, Jefferson, TX, 77640, 409;
  Rockport, Aransas, TX, 78382, 361; South Padre Island, Cameron, TX, 78597, 956;
  Charlotte Amalie, St. Thomas, VI, 00802, 340; Christiansted, St. Croix, VI, 00820, 340;
  Cruz Bay, St. John, VI, 00830, 340; Chincoteague, Accomack, VA, 23336, 757;
  Norfolk, Norfolk, VA, 23510, 757; Virginia Beach, Virginia Beach, VA, 23451, 757;
  Aberdeen, Grays Harbor, WA, 98520, 360; Ocean Shores, Grays Harbor, WA, 98569, 360`);

/** Where people who own a house on the water may live. */
export const MAILING_PLACES = placed(`
  Chicago, Cook, IL, 60657, 312; Denver, Denver, CO, 80203, 303; Atlanta, Fulton, GA, 30309, 404;
  Columbus, Franklin, OH, 43215, 614; Bayamón, Bayamón, PR, 00956, 787;
  Springfield, Hampden, MA, 01103, 413; APO, , AE, 09096, 314`);

export const STREETS = listed(`
  Bayview Drive; Beach Boulevard; Calle del Mar; Canal Street; Avenida Ashford; Coquina Lane; Cypress Court;
  Driftwood Road; East Gulf Drive; Egret Way; Harbor Street; Heron Point; Kahekili Highway; Lighthouse Road;
  Mangrove Court; Marina Terrace; Marsh Street; Ocean Avenue; Oyster Catcher Lane; Palmetto Street;
  Pelican Place; Pier Avenue; Sandpiper Circle; Sea Oats Drive; Seagrape Lane; Shell Road; Tide Mill Road;
  Water Street; Wharf Lane; Widow's Walk`);
