/** Items that are separated by semicolons. */
export const listed = (text: string): readonly string[] => text.trim().split(/;\s+/);

export const FIRST_NAMES = listed(`
  Aaliyah; Aiko; Alejandra; Amara; Andrés; Angela; Anh; Beatriz; Brandon; Carmen; Chloé; Darnell; David;
  Deborah; Dmitri; Eileen; Emeka; Esther; Fatima; François; Gabriela; George; Gloria; Hana; Héctor; Ignacio;
  Inés; Isaac; Jasmine; Jesús; Joaquín; José; Julia; Kalani; Karen; Keisha; Kimo; Lars; Latoya; Leilani;
  Linda; Lourdes; Luis; Mai; Marcus; María; Marisol; Mary Ann; Mónica; Nguyet; Noé; Olga; Patrick; Pedro;
  Rahul; Raúl; Rebecca; Ricardo; Robert; Rosa; Ruth; Samuel; Saoirse; Sofía; Susan; Tamika; Thanh; Thomas;
  Tyrone; Verónica; Víctor; Walter; Wei; Ximena; Yolanda; Zoë`);

export const LAST_NAMES = listed(`
  Abreu; Acosta; Anderson; Baptiste; Begay; Boudreaux; Brown; Cabrera; Camacho; Castañeda; Chen; Colón;
  Cruz; D’Angelo; Davis; de la Cruz; Delgado; Díaz; Domínguez; Dubois; Fernández; Fitzgerald; Flores;
  Fontenot; García; Gómez; González; Gutiérrez; Hébert; Hernández; Hughes; Ibáñez; Jackson; Jiménez;
  Johnson; Kahananui; Kealoha; Kim; Kowalski; LaFleur; Landry; Lee; López; Martínez; McAllister; Méndez;
  Miller; Müller; Muñoz; Nguyễn; Núñez; O’Brien; Okafor; Ortiz; Patel; Peña; Pérez; Petrov; Pham; Quiñones;
  Quintana; Ramírez; Reyes; Rivera; Robinson; Rodríguez; Sablan; Sánchez; Santiago; Schröder; Smith-Peña;
  Søndergaard; Soto; Taitano; Thibodeaux; Thompson; Torres; Trần; Vázquez; Vélez; Washington; White;
  Williams; Yamamoto; Zúñiga`);

/** Put after a name or a town. */
export const COMPANY_KINDS = listed(`
  Rentals LLC; Properties Inc.; Condominium Association; Holdings LP; Marina & Boatworks; Seafood Company;
  Baptist Church; Hospitality Group; e Hijos, Inc.; Family Trust`);

export const AGENCIES = listed(`
  Estero Bay Insurance; Barrier Island Agency; Agencia de Seguros Coquí; Bayou State Insurance Services;
  Tidewater Risk Partners; Low Country Insurors; Shoreline Coverage Group; Old Harbor Insurance Agency`);

export const LENDERS = listed(`
  First Coast Mortgage; Banco Hipotecario del Caribe; Gulf Federal Savings; Harborline Home Loans;
  Keystone & Bay Credit Union; Pelican State Bank; Pacific Isles Lending`);

export const ROLES = listed(`
  Tenant; Property manager; Contractor; Daughter; Co-owner; Neighbor`);
