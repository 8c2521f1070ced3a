import { deskUseCases } from '@svc/application';
import { deskStaffRoutes } from '../http/routes/desk-staff.ts';

/** The staff of firms. */
export const members = { services: { deskUseCases }, routes: [deskStaffRoutes], pages: [] };
