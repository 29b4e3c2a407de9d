/** The energy ledger of a run: what was put in, what was taken out, and whether that adds up with what bodies hold.
 *
 *      start + rig + gravity  =  kinetic + elastic + contact + wall + other  +  damping + friction + fracture + impact + numerical
 *
 *  It lies in sim->ledger. A method with `energies` in its table books into it in its steps, and says there what its bodies hold; the shell
 *  saves it, and declares and fills those of its curves (ledger_entry) that the method's table of curves names. Free parts are counted by
 *  themselves: what bodies do to them is no work of the rig, their kinetic energy less the work of gravity on them is among what is held.
 *  */
#ifndef SCREE_SIM_LEDGER_H
#define SCREE_SIM_LEDGER_H

#include "sim/rig/parts.h"

/** Sums since t = 0, J. */
typedef struct sim_ledger {
  double start;     /**< all energy at t = 0 */
  double rig;       /**< work of the rig's parts on the bodies; of gravity, too, where a method does not tell them apart */
  double gravity;   /**< work of gravity on the bodies */
  double damping;   /**< taken out by dampers */
  double friction;  /**< taken out by friction */
  double fracture;  /**< taken out by what broke */
  double impact;    /**< taken out by impacts of bodies that have no springs; a bounce may give some of it back */
  double numerical; /**< taken out by the method's steps, without a law */
  double largest;   /**< largest energy that there was after any step: what the balance is measured by */
  double least;     /**< what it is measured by at least; set in create */
  double rounding;  /**< added to that; set in create */
} sim_ledger;

/** What bodies hold at one moment, J. */
typedef struct sim_energies {
  double kinetic, elastic;
  double contact; /**< in contacts of bodies with each other */
  double wall;    /**< in contacts with the rig, springs of friction included */
  double other;   /**< whatever else, under the method's own curves */
} sim_energies;

/** What a ledger has a curve of, named so in a method's table of curves. */
typedef enum ledger_entry {
  LEDGER_KINETIC,       /**< energy.kinetic [J] */
  LEDGER_ELASTIC,       /**< energy.elastic [J] */
  LEDGER_CONTACT,       /**< energy.contact [J] */
  LEDGER_WALL,          /**< energy.wall [J] */
  LEDGER_DAMPING,       /**< energy.damping [J] */
  LEDGER_FRICTION,      /**< energy.friction [J] */
  LEDGER_FRACTURE,      /**< energy.fracture [J] */
  LEDGER_IMPACT,        /**< energy.impact [J] */
  LEDGER_NUMERICAL,     /**< energy.numerical [J] */
  LEDGER_EXTERNAL,      /**< energy.external [J]: rig + gravity */
  LEDGER_BALANCE_ERROR, /**< energy.balance_error [1]: see ledger_balance_error */
  LEDGER_ENTRIES
} ledger_entry;

/** Bits for scr_method.may_fall. */
#define LEDGER_BIT(entry) (1u << (entry))

/** What the first touch of a moving part of the rig may put in, J: it sets at most all mass in motion at the part's fastest speed up to
 * `duration`, s. A step books the mean of the forces before and after over all of its displacement, which may be many times what a contact
 * that begins in its last part holds; of this it is little. For `least`. @param mass kg, of all bodies */
double ledger_first_touch(const sim_parts *parts, double mass, double duration);

/** At t = 0, once loads and states are known. @param energy J, of all that bodies hold and are to be charged with; free parts' is added */
void ledger_begin(sim_ledger *ledger, const sim_parts *parts, double energy);

/** Work of the rig and of gravity, J. */
static inline double ledger_external(const sim_ledger *ledger)
{
  return ledger->rig + ledger->gravity;
}

/** Books the work of all parts but free ones over a step, from `before` to where they are now, by the mean of their loads then and now.
 *  @param before, load_before [parts->count] */
void ledger_book_parts(sim_ledger *ledger, const sim_parts *parts, const part_motion *before, const part_load *load_before);

/** At the end of a step: remembers the largest energy. @param energy J, that there is or was put in, as the method knows it */
void ledger_close(sim_ledger *ledger, const sim_parts *parts, double energy);

/** What does not add up, over the largest energy so far: above 0 where energy was lost, below 0 where it came from nowhere. */
double ledger_balance_error(const sim_ledger *ledger, const sim_parts *parts, const sim_energies *now);

#endif
