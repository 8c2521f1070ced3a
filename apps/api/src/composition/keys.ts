import { keyUseCases } from '@svc/application';
import { deskDeveloperRoutes } from '../http/routes/desk-developers.ts';

/** The keys of firms and what is sent with them. */
export const keys = { services: keyUseCases, routes: [deskDeveloperRoutes], pages: [] };
