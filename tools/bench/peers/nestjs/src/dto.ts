import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsDateString,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';

const Text = (max: number) => applyDecorators(IsString(), Length(1, max));
const MaybeText = (max: number) => applyDecorators(IsOptional(), Text(max));
const Day = () => Matches(/^\d{4}-\d\d-\d\d$/);
const MaybeDay = () => applyDecorators(IsOptional(), Day());
const MaybeWhole = (max: number) => applyDecorators(IsOptional(), IsInt(), Min(0), Max(max));
const MaybeAmount = () =>
  applyDecorators(IsOptional(), IsNumber({ maxDecimalPlaces: 2 }), Min(0), Max(9_999_999_999.99));
const MaybeRate = () => applyDecorators(IsOptional(), IsNumber(), Min(0), Max(1));
const MaybeOneOf = (...values: string[]) => applyDecorators(IsOptional(), IsIn(values));
const Section = (type: () => new () => object) => applyDecorators(ValidateNested(), Type(type));
const MaybeSection = (type: () => new () => object) => applyDecorators(IsOptional(), Section(type));

export class PageDto {
  @IsInt() @Min(1) @Max(200) @Type(() => Number) limit = 50;
  @IsDateString() updated_since = '1970-01-01T00:00:00Z';
}

class Loss {
  @Day() date!: string;
  @MaybeOneOf('flood') peril?: string;
  @IsOptional() @Matches(/^([01]\d|2[0-3]):[0-5]\d$/) time?: string;
  @MaybeText(4000) description?: string;
  @MaybeOneOf(
    'tidal_water_overflow',
    'stream_river_lake_overflow',
    'alluvial_fan_overflow',
    'rainfall_snowmelt_accumulation',
    'earth_movement',
    'closed_basin_lake',
    'other',
  )
  cause?: string;
  @MaybeText(20) cat_code?: string;
  @MaybeText(20) fico_number?: string;
  @MaybeWhole(1200) exterior_water_depth_inches?: number;
  @MaybeWhole(1200) interior_water_depth_inches?: number;
  @MaybeWhole(8760) water_duration_hours?: number;
}

class Policy {
  @Text(100) number!: string;
  @MaybeDay() effective_date?: string;
  @MaybeDay() expiration_date?: string;
  @MaybeDay() original_effective_date?: string;
  @MaybeOneOf('dwelling', 'general_property', 'rcbap') form_type?: string;
  @MaybeOneOf('regular', 'emergency') program_type?: string;
  @IsOptional() @Matches(/^\d{5}$/) naic_number?: string;
}

class Address {
  @Text(255) street!: string;
  @Text(100) city!: string;
  @Text(2) state!: string;
  @Matches(/^\d{5}(-\d{4})?$/) zip!: string;
}

class LossLocation extends Address {
  @MaybeText(255) street2?: string;
  @MaybeText(100) county?: string;
}

class CarrierDetails {
  @Text(255) name!: string;
  @MaybeText(20) phone?: string;
  @MaybeText(255) email?: string;
  @MaybeSection(() => Address) address?: Address;
}

class Person {
  @MaybeText(100) first_name?: string;
  @MaybeText(100) last_name?: string;
  @MaybeText(255) company_name?: string;
  @MaybeText(20) phone?: string;
  @MaybeText(255) email?: string;
}

class Policyholder extends Person {
  @MaybeText(20) alternate_phone?: string;
  @MaybeSection(() => Address) mailing_address?: Address;
}

class Agent extends Person {
  @MaybeText(50) agency_number?: string;
}

class Mortgagee extends Person {
  @MaybeText(50) loan_number?: string;
}

class Contact extends Person {
  @MaybeText(100) role?: string;
}

class Building {
  @MaybeText(100) occupancy_type?: string;
  @MaybeText(100) building_type?: string;
  @MaybeOneOf('pre_firm', 'post_firm') firm_status?: string;
  @MaybeDay() firm_date?: string;
  @MaybeDay() construction_date?: string;
  @IsOptional() @Matches(/^(A99|A[EHOR]|VE|[AV]([1-9]|[12]\d|30)?|[BCDX])$/) flood_zone?: string;
  @MaybeText(20) community_number?: string;
  @MaybeText(20) map_panel_number?: string;
  @MaybeOneOf('framed', 'masonry', 'other') construction_type?: string;
  @MaybeWhole(100_000) number_of_units?: number;
  @MaybeWhole(1000) first_floor_height_feet?: number;
  @MaybeWhole(11) first_floor_height_inches?: number;
  @MaybeWhole(100_000) flood_opening_count?: number;
}

class Coverages {
  @MaybeAmount() special_limits_cap?: number;
  @MaybeAmount() building_limit?: number;
  @MaybeAmount() contents_limit?: number;
  @MaybeAmount() building_deductible?: number;
  @MaybeAmount() contents_deductible?: number;
  @MaybeAmount() building_reserve?: number;
  @MaybeAmount() contents_reserve?: number;
  @MaybeAmount() building_advance_payment?: number;
  @MaybeAmount() contents_advance_payment?: number;
  @MaybeAmount() icc_limit?: number;
  @MaybeAmount() building_replacement_cost?: number;
  @MaybeAmount() building_actual_cash_value?: number;
  @MaybeAmount() contents_replacement_cost?: number;
  @MaybeAmount() contents_actual_cash_value?: number;
  @MaybeOneOf('replacement_cost', 'actual_cash_value') building_settlement_basis?: string;
}

class Estimate {
  @MaybeRate() contents_tax_rate?: number;
  @MaybeRate() building_tax_rate?: number;
  @MaybeRate() overhead_rate?: number;
  @MaybeRate() profit_rate?: number;
  @MaybeRate() depreciation_rate?: number;
  @MaybeText(50) price_list?: string;
}

export class SendClaimDto {
  @Text(100) external_id!: string;
  @Text(100) claim_number!: string;
  @Text(128) adjuster_svc_id!: string;
  @Section(() => Loss) loss!: Loss;
  @Section(() => Policy) policy!: Policy;
  @Section(() => CarrierDetails) carrier!: CarrierDetails;
  @Section(() => LossLocation) loss_location!: LossLocation;
  @Section(() => Policyholder) policyholder!: Policyholder;
  @MaybeText(100) file_number?: string;
  @MaybeText(4000) instructions?: string;
  @MaybeDay() reported_date?: string;
  @MaybeDay() contact_date?: string;
  @MaybeDay() inspection_date?: string;
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(20)
  @ValidateNested({ each: true })
  @Type(() => Contact)
  additional_contacts?: Contact[];
  @MaybeSection(() => Agent) agent?: Agent;
  @MaybeSection(() => Mortgagee) mortgagee?: Mortgagee;
  @MaybeSection(() => Building) building?: Building;
  @MaybeSection(() => Coverages) coverages?: Coverages;
  @MaybeSection(() => Estimate) estimate?: Estimate;
}
