"""Bodies with ball joints for the tests of the baselines."""

import numpy as np

from stoss.benchmarks.baselines import BallJointModel


def quaternion(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def matrix(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def rods(count, length):
    """Uniform thin rods of 1 kg in a row along x, hung on the origin, at rest."""
    half = length / 2
    return BallJointModel(
        masses=np.ones(count),
        inertias=np.tile([1e-3, length**2 / 12, length**2 / 12], (count, 1)),
        positions=[[length * (k + 0.5), 0, 0] for k in range(count)],
        quaternions=np.tile([1.0, 0, 0, 0], (count, 1)),
        joint_bodies=[[k - 1, k] for k in range(count)],
        points_a=[[0, 0, 0]] + [[half, 0, 0]] * (count - 1),
        points_b=[[-half, 0, 0]] * count,
    )


def random_tree(seed, bodies=9, on_world=True):
    """A tree in a random pose and motion, numbered and joined in random order, its joints closed."""
    rng = np.random.default_rng(seed)
    name = rng.permutation(bodies)
    q = np.array([quaternion(rng) for _ in range(bodies)])
    positions = np.zeros((bodies, 3))
    joints = []
    for k in range(bodies):
        parent = -1 if k == 0 else int(rng.integers(k))
        own, at = rng.normal(size=3), rng.normal(size=3)
        i = name[k]
        if parent < 0:
            positions[i] = at - matrix(q[i]) @ own
            if on_world:
                joints.append((-1, i, at, own))
            continue
        p = name[parent]
        positions[i] = positions[p] + matrix(q[p]) @ at - matrix(q[i]) @ own
        joints.append((p, i, at, own) if rng.random() < 0.5 else (i, p, own, at))
    joints = [joints[k] for k in rng.permutation(len(joints))]
    return BallJointModel(
        masses=rng.uniform(0.5, 2.0, bodies),
        inertias=rng.uniform(1.0, 1.5, (bodies, 3)),
        positions=positions,
        quaternions=q,
        velocities=rng.normal(size=(bodies, 3)),
        angular_velocities=rng.normal(size=(bodies, 3)),
        joint_bodies=[joint[:2] for joint in joints],
        points_a=[joint[2] for joint in joints],
        points_b=[joint[3] for joint in joints],
        gravity=rng.normal(size=3),
        torques=rng.normal(size=(bodies, 3)),
        torque_steps=1,
    )


def square():
    """Four rods of a closed loop, one corner held by the world, that starts to fall."""
    centres = [[0.5, 0, 0], [1, 0, -0.5], [0.5, 0, -1], [0, 0, -0.5]]
    corners = [[1, 0, 0], [1, 0, -1], [0, 0, -1], [0, 0, 0]]
    pairs = [(k, (k + 1) % 4) for k in range(4)]
    return BallJointModel(
        masses=np.ones(4),
        inertias=np.full((4, 3), 0.1),
        positions=centres,
        quaternions=np.tile([1.0, 0, 0, 0], (4, 1)),
        angular_velocities=np.zeros((4, 3)),
        joint_bodies=[*pairs, (-1, 0)],
        points_a=[*(np.subtract(corners[k], centres[a]) for k, (a, _) in enumerate(pairs)), [0, 0, 0]],
        points_b=[
            *(np.subtract(corners[k], centres[b]) for k, (_, b) in enumerate(pairs)),
            np.subtract([0, 0, 0], centres[0]),
        ],
    )
