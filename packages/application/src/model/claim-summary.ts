import type { ClaimAsSent, FormType } from '@svc/domain';

/** What the board shows and searches of the content of a claim. Stored apart, so that it does not read whole claims. */
export interface ClaimSummary {
  /** Of the policyholder: the person, or the company if none is named. */
  readonly name: string;
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly carrier: string;
  /** As they were sent, for the search; absent without one. */
  readonly phone?: string;
  readonly policyNumber?: string;
  /** Catastrophe code of the event. */
  readonly catCode?: string;
  /** Of the policy. */
  readonly formType?: FormType;
}

/** The fields of a valid claim that the summary has. */
interface SentContent {
  readonly policyholder?: {
    readonly first_name?: string;
    readonly last_name?: string;
    readonly company_name?: string;
    readonly phone?: string;
  };
  readonly loss_location?: Partial<Pick<ClaimSummary, 'street' | 'city' | 'state' | 'zip'>>;
  readonly carrier?: { readonly name?: string };
  readonly policy?: { readonly number?: string; readonly form_type?: FormType };
  readonly loss?: { readonly cat_code?: string };
}

export function summaryOf(asSent: ClaimAsSent): ClaimSummary {
  const {
    policyholder = {},
    loss_location = {},
    carrier = {},
    policy = {},
    loss = {},
  } = JSON.parse(asSent) as SentContent;
  const { first_name, last_name = '', company_name = '', phone } = policyholder;
  const { street = '', city = '', state = '', zip = '' } = loss_location;
  const name = first_name === undefined ? company_name : `${first_name} ${last_name}`;
  return {
    ...{ name, street, city, state, zip, carrier: carrier.name ?? '' },
    ...(phone !== undefined && { phone }),
    ...(policy.number !== undefined && { policyNumber: policy.number }),
    ...(policy.form_type !== undefined && { formType: policy.form_type }),
    ...(loss.cat_code !== undefined && { catCode: loss.cat_code }),
  };
}
