// Without the schemas, which are large, so that pages have them, too.

/** The paths of `CLAIM_FIELDS`, those that are required with a star; a test compares them. */
const MARKED_PATHS = `
  external_id* claim_number* adjuster_svc_id* loss.date* loss.peril loss.time loss.description loss.cause
  loss.cat_code loss.fico_number loss.exterior_water_depth_inches loss.interior_water_depth_inches
  loss.water_duration_hours policy.number* policy.effective_date policy.expiration_date
  policy.original_effective_date policy.form_type policy.program_type policy.naic_number carrier.name*
  carrier.phone carrier.email carrier.address.street carrier.address.city carrier.address.state
  carrier.address.zip loss_location.street* loss_location.street2 loss_location.city* loss_location.county
  loss_location.state* loss_location.zip* policyholder.first_name policyholder.last_name
  policyholder.company_name policyholder.phone policyholder.email policyholder.address.street
  policyholder.address.city policyholder.address.state policyholder.address.zip
  policyholder.mailing_address.street policyholder.mailing_address.city policyholder.mailing_address.state
  policyholder.mailing_address.zip policyholder.alternate_phone file_number instructions reported_date
  contact_date inspection_date agent.first_name agent.last_name agent.company_name agent.phone agent.email
  agent.address.street agent.address.city agent.address.state agent.address.zip agent.agency_number
  mortgagee.first_name mortgagee.last_name mortgagee.company_name mortgagee.phone mortgagee.email
  mortgagee.address.street mortgagee.address.city mortgagee.address.state mortgagee.address.zip
  mortgagee.loan_number building.occupancy_type building.building_type building.firm_status
  building.firm_date building.construction_date building.flood_zone building.community_number
  building.map_panel_number building.construction_type building.number_of_units
  building.first_floor_height_feet building.first_floor_height_inches building.flood_opening_count
  coverages.special_limits_cap coverages.building_limit coverages.contents_limit
  coverages.building_deductible coverages.contents_deductible coverages.building_reserve
  coverages.contents_reserve coverages.building_advance_payment coverages.contents_advance_payment
  coverages.icc_limit coverages.building_replacement_cost coverages.building_actual_cash_value
  coverages.contents_replacement_cost coverages.contents_actual_cash_value
  coverages.building_settlement_basis estimate.contents_tax_rate estimate.building_tax_rate
  estimate.overhead_rate estimate.profit_rate estimate.depreciation_rate estimate.price_list
  policyholder.last_first_name
`
  .trim()
  .split(/\s+/);

export const FIELD_PATHS: readonly string[] = MARKED_PATHS.map((path) => path.replace('*', ''));
/** Besides, a policyholder has a name or a company name, and a phone number or an email address. */
export const REQUIRED_PATHS: readonly string[] = FIELD_PATHS.filter((path) =>
  MARKED_PATHS.includes(`${path}*`),
);

/** A column of whole names, such as `REYES, ANA`: the last name, a comma, the first name. */
export const LAST_FIRST_NAME = 'policyholder.last_first_name';
