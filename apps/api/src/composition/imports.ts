import { importUseCases } from '@svc/application';
import { deskImportRoutes } from '../http/routes/desk-imports.ts';

/** Files of claims that a firm's staff import. */
export const imports = { services: importUseCases, routes: [deskImportRoutes], pages: [] };
