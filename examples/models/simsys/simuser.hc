/* Functions of the user: rates of the integrals, and the controller of a joint. */
static double Target[3];

void BerechneVars (varp, var, zs, z, zt, IntegVar)
double *varp;
const double *var;
const tKoordSatz *zs, *z;
const double zt;
int IntegVar;
{
    int k;
    for (k = 0; k < 3 && k < IntegVar; ++k)
        varp[k] = GelWinkel[k] - Target[k];
}

static double Pid (int joint, double p, double i, double d)
{
    return p * (GelWinkel[joint] - Target[joint]) + i * var[joint] + d * GelWinGeschw[joint];
}
