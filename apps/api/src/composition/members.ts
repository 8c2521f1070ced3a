import { memberUseCases } from '@svc/application';
import { deskStaffRoutes } from '../http/routes/desk-staff.ts';

/** The adjusters and the staff of firms. */
export const members = { services: memberUseCases, routes: [deskStaffRoutes], pages: [] };
