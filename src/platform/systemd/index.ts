export {
  installService,
  isLingering,
  type ServiceContext,
  type ServiceState,
  serviceState,
  uninstallService,
} from './service.ts';
