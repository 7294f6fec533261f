"""A task of MuJoCo's control suite: balance a pole on a cart by a force on the cart alone, set in every step.

python examples/first_programs/cart_pole.py
"""

import stoss as st

world = st.World(time_step=0.01)
cart = world.add_body(st.Box((0.4, 0.2, 0.2)), mass=1.0, name="cart")
pole = world.add_body(st.Box((0.04, 0.04, 1.0)), position=(0, 0, 0.5), mass=0.1, name="pole")
rail = world.add_joint(st.Slider((0, 0, 0), (1, 0, 0)), None, cart, name="rail")
pivot = world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), cart, pole, name="pivot")
pole.angular_velocity = (0, 0.5, 0)


def balance(world: st.World) -> None:
    """Push the cart: gains of a linear regulator."""
    push = 40 * pivot.value + 10 * pivot.rate + 1.5 * rail.value + 3 * rail.rate
    cart.apply_force((push, 0, 0))


world.before_step.append(balance)
for second in range(0, 12, 2):
    print(f"{second:2d} s: cart at {rail.value:+.4f} m, pole leans {pivot.value:+.4f} rad")
    world.step(200)
print(f"at the end: cart at {rail.value:+.4f} m, pole leans {pivot.value:+.1e} rad")
